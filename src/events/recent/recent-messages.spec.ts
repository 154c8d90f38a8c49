import { fakeDate } from '../../../test/support/fake-date';
import { testConfig } from '../../../test/support/api';
import { heapUsed } from '../../../test/support/heap';
import { lastHour } from './project-watch';
import { MAX_PROJECTS, RecentMessages } from './recent-messages';
import { hostOf, type Sending } from './sending';

/* Tests the limits of the recent messages that are kept in memory. */

const MINUTE = 60_000_000;
const sending = (): Sending => ({
  source: 'batch',
  host: 'shop.example.com',
  origin: 'https://shop.example.com',
  browserAgent: null,
  isListed: false,
});

describe('recent messages', () => {
  let recent: RecentMessages;
  beforeEach(() => {
    recent = new RecentMessages(testConfig({ DATABASE_URL: 'sqlite:data/test.sqlite' }));
  });
  afterEach(async () => {
    jest.useRealTimers();
    await recent.onModuleDestroy();
  });

  const note = (projectId: number, names: readonly string[], receivedAt = 1_000): void =>
    recent.noteResolved(projectId, {
      sending: sending(),
      receivedAt,
      messages: names.map((event) => ({ type: 'track', event })),
      outcomes: names.map(() => 'unknown_event' as const),
      isStored: true,
    });
  const eventsOf = async (projectId: number): Promise<(string | null)[]> =>
    (await recent.read(projectId)).messages.map(({ event }) => event);

  it('are the last 200 of a project, from one request or many', async () => {
    note(
      1,
      Array.from({ length: 199 }, (_, index) => `a${index}`),
    );
    note(1, ['b', 'c', 'd']);
    expect((await eventsOf(1)).slice(0, 4)).toEqual(['d', 'c', 'b', 'a198']);
    expect((await eventsOf(1)).at(-1)).toBe('a2');
    note(
      1,
      Array.from({ length: 25_000 }, (_, index) => `e${index}`),
    );
    const events = await eventsOf(1);
    expect([events.length, events[0], events.at(-1)]).toEqual([200, 'e24999', 'e24800']);
  });

  it('are kept only for the projects with the latest messages, and show when recording started', async () => {
    const { since } = (await recent.read(1)).facts;
    for (let projectId = 1; projectId <= 1_000; projectId += 1) {
      note(projectId, ['x']);
    }
    const kept: number[] = [];
    for (let projectId = 1; projectId <= 1_000; projectId += 1) {
      if ((await eventsOf(projectId)).length > 0) {
        kept.push(projectId);
      }
    }
    expect([kept.length, kept[0], kept.at(-1)]).toEqual([MAX_PROJECTS, 801, 1_000]);
    expect((await recent.read(1_000)).facts.since).toBeGreaterThanOrEqual(since);
    expect((await recent.read(1)).facts.since).toBeGreaterThan(since);
  });

  it('keep neither long text nor the strings that shorter text was cut from', async () => {
    const long = 'x'.repeat(10_000);
    recent.noteResolved(1, {
      sending: sending(),
      receivedAt: 0,
      messages: [
        { type: long, event: long, anonymousId: long, properties: { experiment_id: long, value: long } },
      ],
      outcomes: [
        { message: long, where: 'js', build: '', experimentId: null, variationId: null, environment: null },
      ],
      isStored: true,
    });
    const [message] = (await recent.read(1)).messages;
    expect(JSON.stringify(message).length).toBeLessThan(900);
  });

  it('are counted by reason for an hour', async () => {
    const start = 1_700_000_000_000;
    fakeDate(start);
    for (let minute = 0; minute < 200; minute += 1) {
      note(1, ['x', 'y'], start * 1_000 + minute * MINUTE);
    }
    const { facts } = await recent.read(1);
    expect(facts.minutes).toHaveLength(60);
    const end = start * 1_000 + 199 * MINUTE;
    expect(lastHour(facts, end).get('unknown_event')).toBe(120);
    expect(lastHour(facts, end + 30 * MINUTE).get('unknown_event')).toBe(60);
    expect(lastHour(facts, end + 60 * MINUTE).size).toBe(0);
  });

  it('include the 20 hosts where the snippet was seen last', async () => {
    for (let index = 0; index < 50; index += 1) {
      recent.noteSnippet(1, `host-${index}.example.com`);
    }
    recent.noteSnippet(1, 'host-31.example.com');
    recent.noteSnippet(1, null);
    const hosts = (await recent.read(1)).facts.hosts.map(([host]) => host);
    expect([hosts.length, hosts[0], hosts.at(-1)]).toEqual([
      20,
      'host-30.example.com',
      'host-31.example.com',
    ]);
  });
});

describe('the host of a page', () => {
  it.each([
    ['https://shop.example.com', 'shop.example.com'],
    ['https://Shop.Example.com/cart?token=1#x', 'shop.example.com'],
    ['http://localhost:5173/', 'localhost:5173'],
    ['http://[::1]:3000/', '[::1]:3000'],
    ['https://xn--bcher-kva.example?x', 'xn--bcher-kva.example'],
  ])('of %s is %s', (address, host) => {
    expect(hostOf(address)).toBe(host);
  });

  it.each([
    undefined,
    '',
    'null',
    'about:blank',
    'https://user:secret@shop.example.com/',
    'https://<script>/',
    `https://${'x'.repeat(500)}/`,
    'file:///etc/passwd',
    'https://shop.example.com:999999/',
  ])('of %s is unknown', (address) => {
    expect(hostOf(address)).toBeNull();
  });

  it('does not keep the rest of the address in memory', () => {
    const [count, size] = [1_000, 20_000];
    const before = heapUsed();
    const hosts = Array.from({ length: count }, (_, index) =>
      hostOf(`https://shop-${index}.example.com/${'x'.repeat(size)}`),
    );
    expect(heapUsed() - before).toBeLessThan((count * size) / 4);
    expect(new Set(hosts).size).toBe(count);
  });
});
