import { BlockList, isIP } from 'node:net';

const PRIVATE = new BlockList();
const NETWORKS: readonly [address: string, bits: number][] = [
  ['127.0.0.0', 8],
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['169.254.0.0', 16],
];
NETWORKS.forEach(([address, bits]) => PRIVATE.addSubnet(address, bits, 'ipv4'));
PRIVATE.addAddress('::1', 'ipv6');
PRIVATE.addSubnet('fc00::', 7, 'ipv6');
PRIVATE.addSubnet('fe80::', 10, 'ipv6');

/** Domains that public DNS does not have: RFC 6761, RFC 6762, RFC 8375, and `internal` as reserved by ICANN. */
const PRIVATE_DOMAIN = /(?:^|\.)(?:localhost|local|test|internal|home\.arpa)$/;

/** Whether an address with this host (as in `URL.hostname`) can be reached from one machine or network only. */
export function isPrivateHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$|\.$/g, '').toLowerCase();
  const version = isIP(host);
  return version === 0
    ? !host.includes('.') || PRIVATE_DOMAIN.test(host)
    : PRIVATE.check(host, version === 4 ? 'ipv4' : 'ipv6');
}
