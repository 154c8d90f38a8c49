import { gzipSync } from 'node:zlib';
import { newSite, type Site } from '../support/delivery';
import { conversion, send } from '../support/events';
import { recentOf, verdictsOf } from '../support/recent-events';
import { useScene } from '../support/scene';

/* Requests that are refused completely, in the list of recent messages. */

const scene = useScene();

const batch = (site: Site, messages: unknown[], headers: Record<string, string> = {}) =>
  send(scene.api, site.key, messages, {}, headers);

/** Creates a project with the goal `sale`. */
async function shop(): Promise<Site> {
  const site = await newSite(scene);
  await site.make.goal({ name: 'Sale' });
  return site;
}

describe('a request that is refused before its messages are read', () => {
  it('is listed with the reason if the project is known', async () => {
    const site = await shop();
    const post = (path: string, body: string | Buffer, headers: Record<string, string> = {}) =>
      scene.api.app.inject({
        method: 'POST',
        url: path,
        payload: body,
        headers: { 'content-type': 'application/json', 'x-api-key': site.key, ...headers },
      });
    const statuses = [
      await post('/v1/batch', 'no json'),
      await post('/v1/batch', '{"batch": 7}'),
      await post('/v1/batch', '<event/>', { 'content-type': 'application/xml' }),
      await post('/v1/batch', '{}', { 'content-encoding': 'br' }),
      await post('/v1/batch', gzipSync(' '.repeat(600_000)), { 'content-encoding': 'gzip' }),
      await post('/v1/batch', ' '.repeat(600_000)),
      await post('/v1/track', '{"events": 1}'),
      await post('/v1/decide', '{"user": 1}'),
      await post(`/v1/batch`, '{"batch": []}', { 'x-api-key': 'nobody' }),
    ].map(({ statusCode }) => statusCode);
    expect(statuses).toEqual([400, 400, 415, 415, 413, 413, 422, 422, 401]);
    await scene.client.patch(`${site.make.project}/settings`, {
      allowed_origins: ['https://shop.example.com'],
      events_per_minute: 2,
    });
    const origin = { origin: 'https://evil.example.com' };
    const foreign = await batch(site, [conversion('jo', 'sale', 1)], origin);
    await batch(site, [conversion('jo', 'sale', 1), conversion('jo', 'sale', 1)]);
    const tooMany = await batch(site, [conversion('jo', 'sale', 1)]);
    expect([foreign.status, tooMany.status]).toEqual([403, 429]);
    const messages = (await recentOf(scene, site)).reverse();
    expect(messages.map(({ source, outcome, reason }) => `${source} ${outcome} ${reason ?? ''}`)).toEqual([
      'batch refused invalid_body',
      'batch refused invalid_body',
      'batch refused media_type',
      'batch refused media_type',
      'batch refused too_large',
      'batch refused too_large',
      'track refused invalid_fields',
      'decide refused invalid_fields',
      'batch refused origin',
      'batch accepted ',
      'batch accepted ',
      'batch refused rate_limit',
    ]);
    expect(messages.find(({ reason }) => reason === 'origin')!.host).toBe('evil.example.com');
  });

  it('is listed if the rate limit is exceeded', async () => {
    const limited = await scene.api.sibling({ DELIVERY_LIMIT_PER_MINUTE: '2' });
    const site = await shop();
    const statuses: number[] = [];
    for (let index = 0; index < 4; index += 1) {
      statuses.push((await send(limited, site.key, [conversion('kim', 'sale', 1)])).status);
    }
    const { body } = await limited
      .as(scene.world.people.viewer.token)
      .get(`${site.make.project}/events/recent`);
    await limited.close();
    expect(statuses).toEqual([200, 200, 429, 429]);
    expect(verdictsOf(body.messages)).toEqual([
      'accepted',
      'accepted',
      'refused rate_limit',
      'refused rate_limit',
    ]);
  });
});
