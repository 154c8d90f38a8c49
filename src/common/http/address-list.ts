import { BlockList, isIPv6 } from 'node:net';

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
