import { isIP } from 'node:net';
import { Injectable } from '@nestjs/common';
import ipaddr from 'ipaddr.js';
import { AddressList, hostOf, isPrivateHost } from '../common/http/addresses';
import { Config } from '../config/config';

/**
 * IPv6 addresses for global unicast (RFC 4291). All other IPv6 addresses, such as IPv4-compatible ones, are not valid
 * receivers on the internet.
 */
export const GLOBAL_IPV6 = new AddressList(['2000::/3']);
/** Cloud metadata services with public addresses. */
const METADATA = new AddressList(['168.63.129.16']);

const NOT_ALLOWED =
  'The url must not resolve to a private, loopback or link-local address. An operator can allow subnets with WEBHOOK_ALLOW.';

/**
 * The addresses to which webhooks can be sent: public addresses over https, and addresses in `WEBHOOK_ALLOW` over http
 * or https. This prevents access to the operator's network through the server (SSRF).
 */
@Injectable()
export class AddressRules {
  private readonly allowed: AddressList;
  private readonly allowsAny: boolean;

  constructor({ webhookAllow }: Config) {
    this.allowed = new AddressList(webhookAllow);
    this.allowsAny = webhookAllow.length > 0;
  }

  /**
   * Whether a request may connect to an IP address. This is called at connection time with the address of the
   * connection.
   */
  mayConnect(address: string, isSecure: boolean): boolean {
    const plain = ipaddr.process(address).toString();
    return this.allowed.has(plain) || (isSecure && isPublic(plain));
  }

  /** The error in a webhook URL; null if it is valid. Host names are not resolved, because DNS responses change. */
  problemOf(text: string): string | null {
    const url = new URL(text);
    const isSecure = url.protocol === 'https:';
    if (url.username !== '' || url.password !== '') {
      return 'The url may not contain a user name or password. Receivers verify the sender of a message by its signature.';
    }
    if (!isSecure && !this.allowsAny) {
      return 'The url must begin with https://.';
    }
    const host = hostOf(url);
    if (isIP(host) === 0) {
      return isPrivateHost(host) && !this.allowsAny ? NOT_ALLOWED : null;
    }
    if (this.mayConnect(host, isSecure)) {
      return null;
    }
    return isSecure
      ? NOT_ALLOWED
      : 'The url must begin with https://, except for addresses in WEBHOOK_ALLOW.';
  }
}

/** Whether an address is public. @param address not the IPv6 form of an IPv4 address */
function isPublic(address: string): boolean {
  const isGlobal = isIP(address) === 4 || GLOBAL_IPV6.has(address);
  return isGlobal && ipaddr.parse(address).range() === 'unicast' && !METADATA.has(address);
}
