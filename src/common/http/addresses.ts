import { BlockList, isIP, isIPv6 } from 'node:net';

/** IP addresses and subnets such as `10.0.0.0/8`, which were validated together with the settings. */
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

/**
 * The host without the brackets of IPv6 addresses. `URL` has already normalized other IPv4 notations, such as 0x7f.1.
 */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '');

const PRIVATE = new AddressList([
  '127.0.0.0/8',
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '169.254.0.0/16',
  '::1',
  'fc00::/7',
  'fe80::/10',
]);

/**
 * Domains that do not exist in public DNS: those in RFC 6761, RFC 6762 and RFC 8375, and `internal`, which ICANN has
 * reserved.
 */
const PRIVATE_DOMAIN = /(?:^|\.)(?:localhost|local|test|internal|home\.arpa)$/;

/** Whether this host (as in `URL.hostname`) can be reached only from one machine or network. */
export function isPrivateHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$|\.$/g, '').toLowerCase();
  return isIP(host) === 0 ? !host.includes('.') || PRIVATE_DOMAIN.test(host) : PRIVATE.has(host);
}
