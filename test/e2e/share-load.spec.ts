import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { Renderings } from '../../src/sharing/renderings';
import { RENDERING_UNITS, RENDERING_UNITS_PER_MINUTE } from '../../src/sharing/share-limit';
import { Cells } from '../support/cells';
import { newSite, running } from '../support/delivery';
import { engine } from '../support/engine';
import { fakeDate } from '../support/fake-date';
import { firstDays, largeExperiment } from '../support/large-experiment';
import { useScene } from '../support/scene';
import {
  daysOfMay,
  fillDays,
  JSON_ONLY,
  PAGE,
  SharedExperiment,
  sharedExperiment,
  visit,
} from '../support/shared-experiment';

/* The cost of shared results: repeated requests, large experiments, and the effect on other requests. */

/**
 * Number of days in the experiment of maximum size. Lower on a database server, where storing the cells one by one
 * would take minutes.
 */
const DAYS = engine === 'sqlite' ? 90 : 12;

const scene = useScene({ TRUST_PROXY: '127.0.0.1' });
let usual: SharedExperiment;
let client = 0;
let certainty = 80;

beforeAll(async () => {
  usual = await sharedExperiment(scene);
  await scene.make.move(usual, 'running');
  await fillDays(scene, usual, daysOfMay(3));
});

/** Headers with a new client address. */
const newClient = () => ({ 'x-forwarded-for': `10.9.${Math.floor((client += 1) / 250)}.${client % 250}` });

const imageOf = ({ address, goals }: SharedExperiment): string => `${address}/goals/${goals[0].id}.svg`;
const goalOf = ({ address, goals }: SharedExperiment): string => `${address}/goals/${goals[0].id}`;

/** The URLs of a shared experiment, with the headers of their requests. */
const VIEWS: [string, (shared: SharedExperiment) => string, Record<string, string>][] = [
  ['page', ({ address }) => address, PAGE],
  ['goal page', goalOf, PAGE],
  ['JSON', ({ address }) => address, JSON_ONLY],
  ['image', imageOf, {}],
];

describe.each(VIEWS)('the %s', (_, addressOf, headers) => {
  const get = (shared: SharedExperiment, more: Record<string, string> = {}) =>
    visit(scene, addressOf(shared), { ...headers, ...newClient(), ...more });

  it('returns 304 until something changes, then a new response', async () => {
    const shared = await sharedExperiment(scene);
    await scene.make.move(shared, 'running');
    await fillDays(scene, shared, daysOfMay(1));
    const changes: (() => Promise<unknown>)[] = [
      () =>
        new Cells(scene.api, shared.id)
          .entered({ variation: shared.variations[0].id as number, day: '2026-05-04' }, 50)
          .store(),
      () => scene.client.patch(shared.path, { name: 'Renamed' }),
      () =>
        scene.client.patch(`goals/${shared.goals[0].id}`.replace(/^/, `${scene.project}/`), {
          name: 'Other goal',
        }),
      () => scene.client.patch(scene.project, { significance: (certainty += 1) }),
      () => scene.make.move(shared, 'pause'),
    ];
    for (const change of changes) {
      const first = await get(shared);
      const etag = String(first.headers.etag);
      expect([first.status, etag]).toEqual([200, expect.stringMatching(/^W\/".+"$/)]);
      const again = await get(shared, { 'if-none-match': etag });
      expect([again.status, again.text, again.headers.etag]).toEqual([304, '', etag]);
      await change();
      const next = await get(shared, { 'if-none-match': etag });
      expect([next.status, next.headers.etag === etag]).toEqual([200, false]);
    }
  });

  it('is the same from the cache, but different with another filter', async () => {
    const [first, again] = [await get(usual), await get(usual)];
    expect(again.text).toBe(first.text);
    const filtered = await visit(scene, `${addressOf(usual)}?startDate=2026-05-02`, {
      ...headers,
      ...newClient(),
    });
    expect(filtered.status).toBe(200);
    expect([filtered.text === first.text, filtered.headers.etag === first.headers.etag]).toEqual([
      false,
      false,
    ]);
  });

  it('is compressed as negotiated', async () => {
    const plain = await get(usual);
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(plain.headers.vary).toContain('Accept-Encoding');
    for (const [asked, coding, expanded] of [
      ['gzip, deflate', 'gzip', gunzipSync],
      ['gzip, br', 'br', brotliDecompressSync],
    ] as const) {
      const { rawPayload, headers: sent } = await scene.api.app.inject({
        url: addressOf(usual).slice(1),
        headers: { ...headers, ...newClient(), 'accept-encoding': asked },
      });
      expect(sent['content-encoding']).toBe(coding);
      expect(expanded(rawPayload).toString()).toBe(plain.text);
    }
  });

  it('is not served from the cache after the link is replaced or the experiment deleted', async () => {
    const shared = await sharedExperiment(scene);
    await fillDays(scene, shared, daysOfMay(1));
    const { headers: sent } = await get(shared);
    await scene.api.database.transaction((tx) =>
      tx.query('UPDATE experiments SET share_token = ? WHERE id = ?', [
        'B'.repeat(43 - 6) + String(shared.id).padStart(6, '0'),
        shared.id,
      ]),
    );
    const etag = String(sent.etag);
    expect((await get(shared)).status).toBe(404);
    expect((await get(shared, { 'if-none-match': etag })).status).toBe(404);
    const moved = { ...shared, address: `//share/${'B'.repeat(37)}${String(shared.id).padStart(6, '0')}` };
    expect((await get(moved)).status).toBe(200);
    await scene.client.delete(shared.path);
    expect((await get(moved)).status).toBe(404);
  });
});

describe('a client address', () => {
  // The clock is frozen, because pages are cached until the end of the hour and limits apply per minute.
  beforeEach(() => fakeDate(Date.now()));
  afterEach(() => jest.useRealTimers());

  it('is rejected above its limit with an HTML page that gives the time to wait', async () => {
    const from = newClient();
    const pages = RENDERING_UNITS_PER_MINUTE / RENDERING_UNITS.page;
    const answers = [];
    for (const day of firstDays(pages + 1)) {
      answers.push(await visit(scene, `${usual.address}?endDate=${day}`, { ...PAGE, ...from }));
    }
    const refused = answers.pop();
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect([refused?.status, refused?.headers['content-type']]).toEqual([429, 'text/html; charset=utf-8']);
    expect(Number(refused?.headers['retry-after'])).toBeGreaterThan(0);
    expect(refused?.text).toContain('Too many requests');
    // The address still gets cached pages, and other addresses get all pages.
    const [day] = firstDays(1);
    expect((await visit(scene, `${usual.address}?endDate=${day}`, { ...PAGE, ...from })).status).toBe(200);
    const image = `${imageOf(usual)}?endDate=${day}`;
    const { status, body } = await visit(scene, image, from);
    expect([status, body]).toEqual([429, { message: 'Too Many Attempts.', code: 'RATE_LIMITED' }]);
    expect((await visit(scene, image, newClient())).status).toBe(200);
    // The cache size is limited, however many filters are requested.
    const renderings = scene.api.app.get(Renderings, { strict: false });
    expect(renderings.size).toBeLessThanOrEqual(32 * 1024 * 1024);
  });
});

describe('a cached page', () => {
  afterEach(() => jest.useRealTimers());

  it('returns 304 even if it was rendered in the second in which the experiment started', async () => {
    const second = Math.floor(Date.now() / 3_600_000) * 3_600_000 + 600_000;
    fakeDate(second + 500);
    const shared = await sharedExperiment(scene);
    await scene.make.move(shared, 'running');
    const { status, headers } = await visit(scene, shared.address, { ...PAGE, ...newClient() });
    expect(status).toBe(200);
    const etag = String(headers.etag);
    fakeDate(second + 1_500);
    const again = await visit(scene, shared.address, { ...PAGE, ...newClient(), 'if-none-match': etag });
    expect([again.status, again.headers.etag]).toEqual([304, etag]);
  });

  it('says that the result is final as soon as it is final', async () => {
    const shared = await sharedExperiment(scene);
    await scene.make.move(shared, 'running');
    const { body } = await scene.client.patch(`${shared.path}/status`, { status: 'archive' });
    // Results are computed for whole seconds.
    const final = Math.ceil(Date.parse(body.archived_at as string) / 1_000 + 72 * 3_600) * 1_000;
    const isFinalAt = async (moment: number): Promise<boolean> => {
      fakeDate(moment);
      const { status, text } = await visit(scene, shared.address, { ...PAGE, ...newClient() });
      expect(status).toBe(200);
      return text.includes('>Final<');
    };
    expect(await isFinalAt(final - 100)).toBe(false);
    expect(await isFinalAt(final + 100)).toBe(true);
  });
});

describe('a large experiment', () => {
  it('has a page that renders fast, even faster from the cache, and loads most plots by URL', async () => {
    const shared = await largeExperiment(scene, { variations: 8, goals: 12, days: 60 });
    const get = (address: string, headers: Record<string, string>) =>
      visit(scene, address, { ...headers, ...newClient() });
    await get(`${usual.address}?endDate=2026-05-02`, PAGE);
    let text = '';
    const render = async (): Promise<number> => {
      const before = process.cpuUsage();
      ({ text } = await get(shared.address, PAGE));
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1e6;
    };
    // The limits are ten times the figures in docs/performance.md, in seconds.
    expect(await render()).toBeLessThan(3);
    const cached: number[] = [];
    for (let request = 0; request < 5; request += 1) {
      cached.push(await render());
    }
    // The minimum counts, because garbage collection can slow down any single request.
    expect(Math.min(...cached)).toBeLessThan(0.2);

    expect(text.length).toBeLessThan(1_000_000);
    const images = [...text.matchAll(/<img[^>]* src="([^"]+)"[^>]*>/g)];
    expect(images).toHaveLength(2 * 9);
    for (const [tag, address = ''] of images) {
      expect(tag).toMatch(/loading="lazy"/);
      expect(tag).toMatch(/alt="Goal number \d+: .* over time\. From .* At the end: .*Variation 7/);
      const image = await get(`/${address.replaceAll('&amp;', '&')}`, {});
      expect([image.status, image.headers['content-type']]).toEqual([200, 'image/svg+xml; charset=utf-8']);
      const [, width, height] = /width="(\d+)" height="([\d.]+)"/.exec(image.text) ?? [];
      expect(tag).toContain(`width="${width}" height="${Math.ceil(Number(height))}"`);
    }
    // The figures of each day are still available on the goal page.
    const [link = ''] = /[^"]+\/goals\/\d+(?=")/.exec(text) ?? [];
    const goal = await get(`/${link}`, PAGE);
    expect(goal.status).toBe(200);
    expect(goal.text.match(/class="data"/g)).toHaveLength(2);
    expect(goal.text.match(/class="card goal"/g)).toHaveLength(1);
  });

  it('of maximum size has a page of limited size', async () => {
    const shared = await largeExperiment(scene, { variations: 20, goals: 50, days: DAYS });
    const heap = process.memoryUsage().heapUsed;
    const { status, text } = await visit(scene, shared.address, { ...PAGE, ...newClient() });
    expect([status, text.match(/class="card goal"/g)?.length]).toEqual([200, 50]);
    expect(text.length).toBeLessThan(4_000_000);
    expect(process.memoryUsage().heapUsed - heap).toBeLessThan(300 * 1024 * 1024);
  });

  it('does not block decisions while the server renders five of its pages', async () => {
    const shared = await largeExperiment(scene, { variations: 8, goals: 12, days: 30 });
    const site = await newSite(scene);
    await running(site);
    const finished: string[] = [];
    const note = (name: string) => (answer: { status: number }) => finished.push(`${name} ${answer.status}`);
    const pages = firstDays(5).map((day) =>
      visit(scene, `${shared.address}?startDate=${day}`, { ...PAGE, ...newClient() }).then(note('page')),
    );
    const decision = site.post('/v1/decide', { user: { id: 'cleo' }, record: false }).then(note('decision'));
    await Promise.all([...pages, decision]);
    expect(finished.at(0)).toBe('decision 200');
    expect(finished.filter((name) => name === 'page 200')).toHaveLength(5);
  });

  it('is rendered once for all concurrent requests', async () => {
    const shared = await largeExperiment(scene, { variations: 3, goals: 4, days: 5 });
    const answers = await Promise.all(
      Array.from({ length: 60 }, () => visit(scene, shared.address, { ...PAGE, ...newClient() })),
    );
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0].status).toBe(200);
  });

  it('returns an error page if too many requests are waiting', async () => {
    const shared = await largeExperiment(scene, { variations: 3, goals: 6, days: 5 });
    const answers = await Promise.all(
      firstDays(40).map((day) =>
        visit(scene, `${shared.address}?startDate=${day}`, { ...PAGE, ...newClient() }),
      ),
    );
    const refused = answers.filter(({ status }) => status !== 200);
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(20);
    for (const { status, headers, text } of refused) {
      expect([status, headers['retry-after']]).toEqual([503, '5']);
      expect(text).toContain('The server is busy');
    }
    expect(refused.length).toBeGreaterThan(0);
  });
});
