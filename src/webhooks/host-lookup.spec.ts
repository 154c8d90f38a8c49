import os from 'node:os';
import { DnsServer } from '../../test/support/dns-server';
import { HostLookup } from './host-lookup';

let dns: DnsServer;
let lookup: HostLookup;

beforeAll(async () => {
  dns = await DnsServer.start();
});
beforeEach(() => {
  dns.asked.splice(0);
  lookup = new HostLookup();
  dns.serve(lookup);
});
afterAll(() => dns.close());

const never = (): AbortSignal => new AbortController().signal;

const addresses = async (host: string): Promise<string[]> =>
  (await lookup.addressesOf(host, never())).map(({ address }) => address);

/** The error of a lookup. */
const failure = (host: string): Promise<string> =>
  lookup.addressesOf(host, never()).then(
    () => 'none',
    (error: unknown) => (error as Error).message,
  );

const NO_ADDRESS = 'The host has no address.';
const LATER = 'The host cannot be resolved at the moment.';

describe('the addresses of a host', () => {
  it('are found while lookups to which no DNS server responds are running, which can be cancelled', async () => {
    const hosts = Array.from({ length: 20 }, (_, index) => `h${index}.dead.example`);
    dns.names = {
      ...Object.fromEntries(hosts.map((host) => [host, null])),
      'good.example': ['192.0.2.1'],
    };
    const attempts = hosts.map((host) => ({ host, cancel: new AbortController() }));
    const ended: string[] = [];
    const waiting = attempts.map(({ host, cancel: { signal } }) =>
      lookup.addressesOf(host, signal).catch(() => void ended.push(host)),
    );
    expect([await addresses('good.example'), ended]).toEqual([['192.0.2.1'], []]);
    attempts.forEach(({ cancel }) => cancel.abort());
    await Promise.all(waiting);
    expect(ended.sort()).toEqual(hosts.sort());
  });

  it.each([
    ['IPv6 addresses first on a machine with a public IPv6 address', '2001:db8::1', [6, 4]],
    ['IPv4 addresses first on a machine with only private IPv6 addresses', 'fd00::1', [4, 6]],
  ])('include both families, with %s', async (_, address, families) => {
    dns.names = { 'both.example': ['192.0.2.1', '2001:db8::2'] };
    jest
      .spyOn(os, 'networkInterfaces')
      .mockReturnValue({ eth0: [{ address, family: 'IPv6' } as os.NetworkInterfaceInfo] });
    const found = await lookup.addressesOf('both.example', never());
    expect(found.map(({ family }) => family)).toEqual(families);
  });

  it('come from the hosts file if it lists the host', async () => {
    const hosts =
      '# 192.0.2.7 receiver\n192.0.2.8\tother Receiver # name\n\n::1 receiver\nfe80::1%lo0 receiver\n';
    dns.serve(lookup, { hosts });
    dns.names = { receiver: ['192.0.2.9'] };
    expect([await addresses('receiver'), dns.asked]).toEqual([['192.0.2.8', '::1'], []]);
  });

  it.each([
    ['hooks.example.com', 'search corp.example', ['hooks.example.com', 'hooks.example.com.corp.example']],
    ['hooks.example.com.', 'search corp.example', ['hooks.example.com']],
    ['receiver', 'search a.example\ndomain b.example.', ['receiver.b.example', 'receiver']],
    ['receiver', 'search a.example\noptions edns0 ndots:0', ['receiver', 'receiver.a.example']],
    ['receiver', 'search .', ['receiver']],
    [
      'receiver.prod',
      'search svc.cluster.local cluster.local\noptions ndots:5',
      ['receiver.prod.svc.cluster.local', 'receiver.prod.cluster.local', 'receiver.prod'],
    ],
  ])('%s are looked up according to "%s"', async (host, resolver, names) => {
    dns.names = {};
    dns.serve(lookup, { resolver });
    expect([await failure(host), dns.asked]).toEqual([NO_ADDRESS, names]);
  });

  it('are those of the first name in the search list that has any', async () => {
    dns.serve(lookup, { resolver: 'search a.example b.example' });
    dns.names = { 'receiver.a.example': [], 'receiver.b.example': ['192.0.2.1'], receiver: ['192.0.2.2'] };
    expect(await addresses('receiver')).toEqual(['192.0.2.1']);
  });

  it('are unknown, not those of the next name, if no server responds for a name in the search list', async () => {
    dns.serve(lookup, { resolver: 'search dead.example' }, 100);
    dns.names = { 'receiver.dead.example': null, receiver: ['192.0.2.1'] };
    expect([await failure('receiver'), dns.asked.includes('receiver')]).toEqual([LATER, false]);
  });

  it('may become known later if a server fails', async () => {
    dns.serve(lookup, { resolver: 'search failing.example' });
    dns.names = { 'receiver.failing.example': 'SERVFAIL' };
    expect([await failure('receiver'), dns.asked.at(-1)]).toEqual([LATER, 'receiver']);
  });

  it('do not exist for a name that is not valid in DNS', async () => {
    expect(await failure(`${'a'.repeat(64)}.example`)).toBe(NO_ADDRESS);
  });
});
