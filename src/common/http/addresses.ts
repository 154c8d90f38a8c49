import { BlockList, isIP, isIPv6 } from 'node:net';

/** Addresses and subnets such as `10.0.0.0/8`, which the settings have checked. */
export class AddressList {
  private readonly list = new BlockList();

  constructor(entries: readonly string[]) {
    for (const entry of entries) {
      const [address = '', prefix] = entry.split('/');
      if (prefix === undefined) {
        this.list.addAddress(address, familyOf(address));
      } else {
        this.list.addSubnet(address, Number(prefix), familyOf(address));
      }
    }
  }

  has(address: string): boolean {
    return this.list.check(address, familyOf(address));
  }
}

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIPv6(address) ? 'ipv6' : 'ipv4');

/** The host without the brackets of IPv6 addresses. `URL` has turned other forms of IPv4, such as 0x7f.1, into it. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '');

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
