import { loadConfig } from '../config/config';
import { AddressRules } from './address-rules';

const rules = (allow?: string): AddressRules =>
  new AddressRules(loadConfig(allow === undefined ? {} : { WEBHOOK_ALLOW: allow }));

/* Addresses from the IANA special-purpose address registries (RFC 6890), and addresses of cloud metadata services. */
const SPECIAL = [
  ['0.0.0.0', 'unspecified'],
  ['10.1.2.3', 'private'],
  ['100.64.0.1', 'carrier-grade NAT'],
  ['100.100.100.200', 'metadata of Alibaba'],
  ['127.0.0.1', 'loopback'],
  ['127.8.9.1', 'loopback'],
  ['168.63.129.16', 'metadata of Azure'],
  ['169.254.169.254', 'metadata of AWS, Google and others'],
  ['172.16.0.1', 'private'],
  ['192.0.0.192', 'metadata of Oracle'],
  ['192.168.1.1', 'private'],
  ['198.18.0.1', 'benchmarking'],
  ['203.0.113.1', 'documentation'],
  ['224.0.0.1', 'multicast'],
  ['240.0.0.1', 'reserved'],
  ['255.255.255.255', 'broadcast'],
  ['::', 'unspecified'],
  ['::1', 'loopback'],
  ['::7f00:1', 'IPv4-compatible loopback'],
  ['::ffff:127.0.0.1', 'IPv4-mapped loopback'],
  ['::ffff:a00:1', 'IPv4-mapped private'],
  ['::ffff:0:127.0.0.1', 'IPv4-translated loopback'],
  ['64:ff9b::7f00:1', 'NAT64 loopback'],
  ['64:ff9b:1::7f00:1', 'local NAT64'],
  ['100::1', 'discard'],
  ['2001::1', 'Teredo'],
  ['2001:db8::1', 'documentation'],
  ['2002:7f00:1::', '6to4 loopback'],
  ['fc00::1', 'unique local'],
  ['fd00:ec2::254', 'metadata of AWS'],
  ['fe80::1', 'link-local'],
  ['fec0::1', 'site-local'],
  ['ff02::1', 'multicast'],
] as const;

const PUBLIC = ['1.1.1.1', '8.8.8.8', '172.32.0.1', '::ffff:8.8.8.8', '2606:4700:4700::1111'];

it.each(SPECIAL)('%s (%s) is not allowed by default, over http or https', (address) => {
  expect(rules().mayConnect(address, true)).toBe(false);
  expect(rules().mayConnect(address, false)).toBe(false);
});

it.each(PUBLIC)('%s is allowed over https only', (address) => {
  expect(rules().mayConnect(address, true)).toBe(true);
  expect(rules().mayConnect(address, false)).toBe(false);
});

it('WEBHOOK_ALLOW allows only its subnets, also over http', () => {
  const some = rules('10.20.0.0/16, fd12::/16');
  for (const address of ['10.20.3.4', '::ffff:10.20.3.4', 'fd12::1']) {
    expect([address, some.mayConnect(address, true), some.mayConnect(address, false)]).toEqual([
      address,
      true,
      true,
    ]);
  }
  for (const address of ['10.21.0.1', '127.0.0.1', 'fd13::1']) {
    expect([address, some.mayConnect(address, true)]).toEqual([address, false]);
  }
  expect(some.mayConnect('8.8.8.8', false)).toBe(false);
});

describe('the url of a webhook', () => {
  const LOCAL = /must not resolve to a private, loopback or link-local address/;

  it.each([
    ['http://hooks.example.com/', /must begin with https/],
    ['https://user:password@hooks.example.com/', /may not contain a user name or password/],
    ['https://localhost/', LOCAL],
    ['https://localhost./', LOCAL],
    ['https://printer.local/', LOCAL],
    ['https://127.0.0.1/', LOCAL],
    ['https://2130706433/', LOCAL],
    ['https://0x7f.1/', LOCAL],
    ['https://017700000001/', LOCAL],
    ['https://[::1]/', LOCAL],
    ['https://[::ffff:10.0.0.1]/', LOCAL],
    ['https://169.254.169.254/latest/meta-data/', LOCAL],
  ])('cannot be %s', (url, reason) => expect(rules().problemOf(url)).toMatch(reason));

  it.each(['https://hooks.example.com/a?b=c', 'https://1.1.1.1:8443/', 'https://[2606:4700::1111]/'])(
    'can be %s',
    (url) => expect(rules().problemOf(url)).toBeNull(),
  );

  it('can have an address in WEBHOOK_ALLOW, or a host name, which is checked when connecting', () => {
    const some = rules('10.20.0.0/16');
    expect(some.problemOf('http://10.20.0.1:8080/')).toBeNull();
    expect(some.problemOf('http://ci.internal/')).toBeNull();
    expect(some.problemOf('http://1.1.1.1/')).toMatch(/except for addresses in WEBHOOK_ALLOW/);
    expect(some.problemOf('https://127.0.0.1/')).toMatch(LOCAL);
  });
});
