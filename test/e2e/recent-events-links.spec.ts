import { ExclusionsService } from '../../src/events/exclusions/exclusions.service';
import { newSite, running, type Site } from '../support/delivery';
import { conversion, exposure, send } from '../support/events';
import { alias, identify } from '../support/linked-visitors';
import { RawHttp } from '../support/raw-http';
import { recentOf, verdictsOf } from '../support/recent-events';
import { useScene } from '../support/scene';
import { listening } from '../support/web-server';
import { until } from '../support/waiting';

/* Ignored links and aborted requests in the list of recent messages. */

const scene = useScene();

let site: Site;
beforeEach(async () => {
  site = await newSite(scene);
  await site.make.goal({ name: 'Sale' });
});

const verdicts = async (): Promise<string[]> => verdictsOf(await recentOf(scene, site));
const batch = (messages: unknown[]) => send(scene.api, site.key, messages);

it('a link that is not stored is listed as ignored, with the reason', async () => {
  await batch([identify('a', 'b'), identify('x', 'y')]);
  await batch([
    identify('b', 'a'),
    identify('a', 'x'),
    alias('b', 'y'),
    identify('a', 'c'),
    identify('a', 'a'),
    identify('a'.repeat(10_000), 'b'),
    alias({ a: 1 }, 'b'),
    { type: 'group', anonymousId: 'a' },
  ]);
  await batch([{ ...identify('d', 'e'), context: { userAgent: 'Googlebot/2.1' } }]);
  expect(await verdicts()).toEqual([
    'accepted',
    'accepted',
    // The ids already belong to the same visitor.
    'accepted',
    'ignored both_linked',
    'ignored both_linked',
    'ignored linked_to_other',
    'ignored same_id',
    'ignored invalid_id',
    'ignored invalid_id',
    'ignored',
    'ignored bot',
  ]);
});

it('links of requests that are stored together keep their own reasons', async () => {
  await batch([identify('a', 'b'), identify('x', 'y')]);
  await Promise.all([
    batch([identify('a', 'x'), conversion('a', 'sale')]),
    batch([identify('p', 'q')]),
    batch([identify('a', 'c')]),
  ]);
  const all = (await verdicts()).slice(2);
  expect(all.sort()).toEqual(['accepted', 'accepted', 'ignored both_linked', 'ignored linked_to_other']);
});

it('events of an excluded visitor are marked under all its linked ids', async () => {
  const experiment = await running(site);
  await batch([identify('phone', 'user')]);
  await batch([
    exposure('phone', experiment.id, experiment.variations[0].id),
    conversion('user', 'sale'),
    conversion('other', 'sale'),
  ]);
  const { projectId } = site;
  const exclusions = scene.api.app.get(ExclusionsService, { strict: false });
  await exclusions.exclude({ projectId, experimentId: null, criteria: { ids: ['user'] } }, 1);
  expect((await verdicts()).slice(1)).toEqual(['excluded', 'excluded', 'accepted']);
});

it('an aborted request is listed as refused because of its body, not because of the database', async () => {
  const raw = await RawHttp.open(await listening(scene.api.app));
  raw.send(
    'POST /v1/batch HTTP/1.1',
    'Host: localhost',
    `X-API-Key: ${site.key}`,
    'Content-Type: application/json',
    'Content-Length: 500',
    '',
    '{"batch": [',
  );
  await new Promise((resolve) => setTimeout(resolve, 200));
  raw.close();
  await until(async () => (await verdicts()).length > 0, 'a verdict');
  expect(await verdicts()).toEqual(['refused invalid_body']);
});
