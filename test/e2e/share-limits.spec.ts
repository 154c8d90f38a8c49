import { RENDERING_UNITS_PER_MINUTE, ShareLimit } from '../../src/sharing/share-limit';
import { useScene } from '../support/scene';
import {
  daysOfMay,
  fillDays,
  JSON_ONLY,
  PAGE,
  type SharedExperiment,
  sharedExperiment,
  visit,
} from '../support/shared-experiment';

/* The number of requests for shared results that an address can send in a minute. */

const scene = useScene({ TRUST_PROXY: '127.0.0.1' });
let shared: SharedExperiment;
let clients = 0;

beforeAll(async () => {
  shared = await sharedExperiment(scene);
  await scene.make.move(shared, 'running');
  await fillDays(scene, shared, daysOfMay(1));
});

const newAddress = (): string => `10.9.0.${(clients += 1)}`;
const limit = (): ShareLimit => scene.api.app.get(ShareLimit, { strict: false });

/** Counts `count` requests from an address, as if it had sent them before. */
function sent(count: number, address: string): void {
  for (let request = 0; request < count; request += 1) {
    limit().countRequest(address);
  }
}

/** Uses up the renderings that an address has in a minute. */
function rendered(address: string): void {
  for (let rendering = 0; rendering < RENDERING_UNITS_PER_MINUTE; rendering += 1) {
    limit().countRendering(address, 'part');
  }
}

const statusOf = async (path: string, headers: Record<string, string>, address: string): Promise<number> =>
  (await visit(scene, shared.address + path, { ...headers, 'x-forwarded-for': address })).status;

it.each([
  ['page', '', PAGE],
  ['JSON', '', JSON_ONLY],
  ['image', () => `/goals/${shared.goals[0].id}.svg`, {}],
])('after 3,000 requests, the %s is rejected, even if cached', async (_, path, headers) => {
  const own = typeof path === 'string' ? path : path();
  const address = newAddress();
  sent(2_999, address);
  expect(await statusOf(own, headers, address)).toBe(200);
  expect(await statusOf(own, headers, address)).toBe(429);
  expect(await statusOf(own, headers, newAddress())).toBe(200);
});

it('all IPv6 addresses in a /64 network share one limit', async () => {
  sent(3_000, '2001:db8:1:2::1');
  expect(await statusOf('', PAGE, '2001:db8:1:2:ffff::9')).toBe(429);
  expect(await statusOf('', PAGE, '2001:db8:1:3::1')).toBe(200);
});

it('pages that are never cached count as rendered', async () => {
  const address = newAddress();
  const wrong = '?startDate=never';
  rendered(address);
  expect(await statusOf(wrong, PAGE, address)).toBe(429);
  expect(await statusOf(wrong, PAGE, newAddress())).toBe(422);
});
