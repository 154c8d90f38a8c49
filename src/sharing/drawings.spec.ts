import { randomBytes } from 'node:crypto';
import { Drawings } from './drawings';
import { ShareLimit } from './share-limit';
import type { Shared, Shares } from './shares';

const shared: Shared = { experimentId: 1, token: 't', path: '/share/t', version: '1', lastEventAt: null };
const drawingsOf = (find: () => Promise<Shared | null>) =>
  new Drawings({ find } as unknown as Shares, new ShareLimit());
const asked = (view: string | null, address = '10.0.0.1') => ({ kind: 'part' as const, view, address });
const drawn = (text: string) => () => Promise.resolve({ status: 200, text });

it('limits its memory for a thousand filters', async () => {
  const drawings = drawingsOf(() => Promise.resolve(shared));
  const text = randomBytes(150_000).toString('base64');
  for (let filter = 0; filter < 1_000; filter += 1) {
    await drawings.get(shared, asked(`page ${filter}`, `10.0.${filter % 250}.1`), drawn(text));
  }
  expect(drawings.size).toBeLessThanOrEqual(32 * 1024 * 1024);
  expect(drawings.size).toBeGreaterThan(16 * 1024 * 1024);
});

it('renders again after a concurrent change, and caches no mixed state', async () => {
  let version = 1;
  const drawings = drawingsOf(() => Promise.resolve({ ...shared, version: String((version += 1)) }));
  let times = 0;
  const draw = () => Promise.resolve({ status: 200, text: String((times += 1)) });
  const { key } = await drawings.get(shared, asked('page'), draw);
  expect([key, times, drawings.size]).toEqual([null, 3, 0]);
});

it('returns the version of the rendered state', async () => {
  const now = { ...shared, version: '2' };
  const drawings = drawingsOf(() => Promise.resolve(now));
  const { key } = await drawings.get(shared, asked('page'), drawn('a'));
  expect(key).toBe('t 2 page');
});

it('shows nothing if the link is revoked during rendering', async () => {
  const drawings = drawingsOf(() => Promise.resolve(null));
  await expect(drawings.get(shared, asked('page'), drawn('secret'))).rejects.toMatchObject({ status: 404 });
});

it('continues after a failed rendering', async () => {
  const drawings = drawingsOf(() => Promise.resolve(shared));
  const fail = () => Promise.reject(new Error('broken'));
  await expect(drawings.get(shared, asked('page'), fail)).rejects.toThrow('broken');
  const { status } = await drawings.get(shared, asked('page'), drawn('a'));
  expect(status).toBe(200);
});
