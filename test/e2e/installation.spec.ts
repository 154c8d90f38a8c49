import { ResultsService } from '../../src/results/results.service';
import { USER_AGENT } from '../support/browser';
import { newSite, running, type Site } from '../support/delivery';
import { attributeAll, conversion, exposure, message, send } from '../support/events';
import { useScene } from '../support/scene';

/* GET /projects/{project}/health: whether a project's snippet and events arrive. */

const scene = useScene();

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- response bodies are untyped
async function healthOf(site: Site): Promise<any> {
  const { status, body, headers } = await scene.client.get(`${site.make.project}/health`);
  expect([status, headers.etag]).toEqual([200, undefined]);
  return body;
}

const loadSnippet = (site: Site, headers: Record<string, string> = {}) =>
  scene.api.as(null).get(`//s/${site.key}.js`, headers);

const sendFrom = (site: Site, messages: unknown[], headers: Record<string, string> = {}) =>
  send(scene.api, site.key, messages, {}, { 'user-agent': USER_AGENT, ...headers });

const TIMESTAMP = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]+\.\d{6}Z$/);

it('the installation check of a new project is empty, except for the start of the recorded period', async () => {
  expect(await healthOf(await newSite(scene))).toEqual({
    since: TIMESTAMP,
    is_shared: false,
    snippet: { last_seen_at: null, hosts: [] },
    last_message_at: null,
    last_exposure_at: null,
    last_counted_at: null,
    last_hour: { accepted: 0, rejected: 0, rejected_by_reason: {}, script_errors: 0 },
    experiments: [],
  });
});

it('the installation check counts a message that links two ids as accepted, not as an error', async () => {
  const site = await newSite(scene);
  await sendFrom(site, [{ type: 'identify', anonymousId: 'ann', userId: 'u-1' }]);
  const { last_hour } = await healthOf(site);
  expect(last_hour).toMatchObject({ accepted: 1, rejected: 0, script_errors: 0 });
});

it('the installation check lists hosts to which the snippet was delivered or from which it sent messages', async () => {
  const site = await newSite(scene);
  await site.make.goal({ name: 'Sale' });
  await loadSnippet(site, { referer: 'https://shop.example.com/cart?secret=1' });
  const { headers } = await loadSnippet(site, { referer: 'https://blog.example.com/' });
  const cached = await loadSnippet(site, {
    referer: 'https://docs.example.com/',
    'if-none-match': String(headers.etag),
  });
  expect(cached.status).toBe(304);
  const before = await healthOf(site);
  expect(before.snippet.last_seen_at).toEqual(TIMESTAMP);
  expect(before.last_message_at).toBeNull();
  const library = { context: { library: { name: 'gosset.js' } } };
  await sendFrom(site, [conversion('ann', 'sale', undefined, library)], {
    origin: 'https://app.example.com',
  });
  await sendFrom(site, [conversion('ann', 'sale')], { origin: 'https://without-snippet.example.com' });
  const after = await healthOf(site);
  const hosts = (after.snippet.hosts as { host: string }[]).map(({ host }) => host);
  expect(hosts.sort()).toEqual([
    'app.example.com',
    'blog.example.com',
    'docs.example.com',
    'shop.example.com',
  ]);
  expect(after.last_message_at).toEqual(TIMESTAMP);
  expect(after.last_exposure_at).toBeNull();
  expect(JSON.stringify(after)).not.toContain('secret');
});

it('the installation check shows the rejections of the last hour by reason, and the script errors', async () => {
  const site = await newSite(scene);
  await site.make.goal({ name: 'Sale' });
  const error = { ...message('ann', { type: 'error' }), context: { library: { name: 'gosset.js' } } };
  await sendFrom(site, [
    conversion('ann', 'sale'),
    { type: 'identify', anonymousId: 'ann' },
    conversion('ann', 'nothing'),
    conversion('ann', 'nothing'),
    { type: 'error' },
    { ...error, properties: { build: '', where: 'js', message: 'x is not defined' } },
  ]);
  await scene.api.as(null).post('//v1/batch', '{', { 'x-api-key': site.key });
  expect((await healthOf(site)).last_hour).toEqual({
    accepted: 2,
    rejected: 4,
    rejected_by_reason: { unknown_event: 2, invalid_visitor: 1, invalid_body: 1 },
    script_errors: 1,
  });
});

it('the installation check includes exposures, participants in results, and the sample ratio', async () => {
  const site = await newSite(scene);
  const [right, wrong] = [await running(site), await running(site)];
  const unseen = await running(site);
  await site.make.withStatus('pause');
  const exposures = Array.from({ length: 120 }, (_, index) => [
    exposure(`v${index}`, right.id, right.variations[index % 2].id),
    exposure(`v${index}`, wrong.id, wrong.variations[index % 10 === 0 ? 1 : 0].id),
  ]).flat();
  await sendFrom(site, exposures);
  const before = await healthOf(site);
  expect([before.last_exposure_at, before.last_counted_at]).toEqual([TIMESTAMP, null]);
  await attributeAll(scene.api);
  const after = await healthOf(site);
  expect(after.last_counted_at).toEqual(TIMESTAMP);
  expect(after.experiments).toEqual([
    { id: unseen.id, name: 'Experiment', participants: 0, sample_ratio: 'no_participants' },
    { id: wrong.id, name: 'Experiment', participants: 120, sample_ratio: 'mismatch' },
    { id: right.id, name: 'Experiment', participants: 120, sample_ratio: 'passed' },
  ]);
});

// Nine participants of one variation and none of the other would have a p-value of 0.0027.
it('the installation check has no sample ratio test if there are too few participants to detect a mismatch', async () => {
  const site = await newSite(scene);
  const experiment = await running(site);
  const [original] = experiment.variations as { id: number }[];
  await sendFrom(
    site,
    Array.from({ length: 9 }, (_, index) => exposure(`v${index}`, experiment.id, original.id)),
  );
  await attributeAll(scene.api);
  expect((await healthOf(site)).experiments).toEqual([
    { id: experiment.id, name: 'Experiment', participants: 9, sample_ratio: 'not_tested' },
  ]);
});

it('the installation check keeps the stored facts after a restart, but starts a new recorded period', async () => {
  const site = await newSite(scene);
  const experiment = await running(site);
  await loadSnippet(site);
  await sendFrom(site, [exposure('ann', experiment.id, experiment.variations[0].id)]);
  await attributeAll(scene.api);
  const known = await healthOf(site);
  const restarted = await scene.api.sibling();
  const { body } = await restarted.as(scene.world.people.viewer.token).get(`${site.make.project}/health`);
  await restarted.close();
  expect(body).toMatchObject({
    snippet: { last_seen_at: null, hosts: [] },
    last_exposure_at: null,
    last_counted_at: known.last_counted_at,
    experiments: [{ participants: 1 }],
  });
  expect(body.since > known.last_exposure_at).toBe(true);
});

it('the installation check is not available to other teams', async () => {
  const path = `${scene.project}/health`;
  expect((await scene.world.people.viewer.client.get(path)).status).toBe(200);
  expect((await scene.world.outsider.client.get(path)).status).toBe(404);
  expect((await scene.api.as(null).get(path)).status).toBe(401);
});

it('the installation check reads one experiment at a time, so that it does not use up the connections', async () => {
  const site = await newSite(scene);
  const experiments = [await running(site), await running(site), await running(site)];
  const results = scene.api.app.get(ResultsService, { strict: false });
  const read = results.info.bind(results);
  let [now, most] = [0, 0];
  const info = jest.spyOn(results, 'info').mockImplementation(async (id) => {
    most = Math.max(most, (now += 1));
    const answer = await read(id);
    now -= 1;
    return answer;
  });
  const { experiments: checked } = await healthOf(site);
  info.mockRestore();
  expect([checked.length, most]).toEqual([experiments.length, 1]);
});
