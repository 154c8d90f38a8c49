import { randomBytes } from 'node:crypto';
import { Renderings } from './renderings';
import { ShareLimit } from './share-limit';
import type { Shared, Shares } from './shares';

const shared: Shared = { experimentId: 1, token: 't', path: '/share/t', version: '1', lastEventAt: null };
const renderingsOf = (find: () => Promise<Shared | null>) =>
  new Renderings({ find } as unknown as Shares, new ShareLimit());
const asked = (view: string | null, address = '10.0.0.1') => ({ kind: 'part' as const, view, address });
const rendered = (text: string) => () => Promise.resolve({ status: 200, text });

it('limits its memory for a thousand filters', async () => {
  const renderings = renderingsOf(() => Promise.resolve(shared));
  const text = randomBytes(150_000).toString('base64');
  for (let filter = 0; filter < 1_000; filter += 1) {
    await renderings.get(shared, asked(`page ${filter}`, `10.0.${filter % 250}.1`), rendered(text));
  }
  expect(renderings.size).toBeLessThanOrEqual(32 * 1024 * 1024);
  expect(renderings.size).toBeGreaterThan(16 * 1024 * 1024);
});

it('renders again after a concurrent change, and caches no mixed state', async () => {
  let version = 1;
  const renderings = renderingsOf(() => Promise.resolve({ ...shared, version: String((version += 1)) }));
  let times = 0;
  const render = () => Promise.resolve({ status: 200, text: String((times += 1)) });
  const { key } = await renderings.get(shared, asked('page'), render);
  expect([key, times, renderings.size]).toEqual([null, 3, 0]);
});

it('returns the version of the rendered state', async () => {
  const now = { ...shared, version: '2' };
  const renderings = renderingsOf(() => Promise.resolve(now));
  const { key } = await renderings.get(shared, asked('page'), rendered('a'));
  expect(key).toBe('t 2 page');
});

it('shows nothing if the link is revoked during rendering', async () => {
  const renderings = renderingsOf(() => Promise.resolve(null));
  await expect(renderings.get(shared, asked('page'), rendered('secret'))).rejects.toMatchObject({
    status: 404,
  });
});

it('continues after a failed rendering', async () => {
  const renderings = renderingsOf(() => Promise.resolve(shared));
  const fail = () => Promise.reject(new Error('broken'));
  await expect(renderings.get(shared, asked('page'), fail)).rejects.toThrow('broken');
  const { status } = await renderings.get(shared, asked('page'), rendered('a'));
  expect(status).toBe(200);
});
