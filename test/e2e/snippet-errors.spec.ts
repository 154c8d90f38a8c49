import { randomUUID } from 'node:crypto';
import { Logger } from '@nestjs/common';
import { newSite, running, Site } from '../support/delivery';
import { MessageFields, send as sendAs, storedEvents } from '../support/events';
import { Made, useScene } from '../support/scene';
import { eventually } from '../support/waiting';

/* Error reports from snippets about the project's code: `type: "error"` in POST /v1/batch. */

const scene = useScene();
let site: Site;
let experiment: Made;
let build: string;
let warnings: Record<string, unknown>[];

beforeAll(async () => {
  jest.spyOn(Logger.prototype, 'warn').mockImplementation((entry: unknown) => {
    warnings.push(entry as Record<string, unknown>);
  });
});
afterAll(() => jest.restoreAllMocks());

beforeEach(async () => {
  warnings = [];
  site = await newSite(scene);
  experiment = await running(site);
  const [{ digest }]: { digest: string }[] = await scene.api.database.read.query(
    'SELECT digest FROM publications WHERE project_id = ?',
    [site.projectId],
  );
  build = digest.slice(0, 16);
});

const BROWSER =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36';

const send = (to: Site, messages: unknown[], userAgent = BROWSER) =>
  sendAs(scene.api, to.key, messages, {}, { 'user-agent': userAgent });

const report = (properties: unknown, fields: MessageFields = {}): MessageFields => ({
  type: 'error',
  anonymousId: 'visitor',
  messageId: randomUUID(),
  timestamp: new Date().toISOString(),
  properties,
  context: { library: { name: 'gosset.js' } },
  ...fields,
});

const failure = (fields: object = {}): object => ({
  experiment_id: experiment.id,
  variation_id: experiment.variations[1].id,
  build,
  where: 'js',
  message: 'TypeError: x is null',
  ...fields,
});

/** Waits for `lines` log lines, and then for unexpected lines, because logging continues after the response. */
async function settled(lines = 0): Promise<void> {
  await eventually(() => warnings.length >= lines);
  await new Promise((resolve) => setTimeout(resolve, 50));
}

async function counted(): Promise<number> {
  const { payload } = await scene.api.app.inject({ method: 'GET', url: '/metrics' });
  return Number(/^gosset_snippet_errors_total (\d+)$/m.exec(payload)?.[1]);
}

it('an error report is accepted, counted and logged with its context, but not stored', async () => {
  const before = [await counted(), (await storedEvents(scene.api)).length];
  const answer = await send(site, [
    report(failure()),
    report(
      failure({
        environment: 'production',
        where: 'environment',
        experiment_id: undefined,
        variation_id: null,
      }),
    ),
  ]);
  expect(answer.body).toEqual({ success: true, accepted: 2, rejected: 0, errors: [] });
  await settled(2);
  expect([await counted(), (await storedEvents(scene.api)).length]).toEqual([before[0] + 2, before[1]]);
  const place = {
    projectId: site.projectId,
    revision: 1,
    msg: 'Code on a page failed: TypeError: x is null',
  };
  expect(warnings).toHaveLength(2);
  expect(warnings).toContainEqual({
    ...place,
    experimentId: experiment.id,
    variationId: experiment.variations[1].id,
    where: 'js',
    environment: null,
  });
  expect(warnings).toContainEqual({
    ...place,
    experimentId: null,
    variationId: null,
    where: 'environment',
    environment: 'production',
  });
});

it('an error report is assigned to the publication of its build', async () => {
  await scene.client.patch(experiment.path, { js: 'throw new Error();' });
  await scene.client.patch(`${experiment.path}/publish`);
  await send(site, [
    report(failure()),
    report(failure({ build: 'f'.repeat(16) })),
    report(failure({ build: '' })),
  ]);
  await settled(3);
  expect(warnings.map(({ revision }) => revision)).toEqual(expect.arrayContaining([1, null, null]));
});

it('an error report is logged with the first 500 characters of the message', async () => {
  await send(site, [report(failure({ message: 'x'.repeat(5_000) }))]);
  await settled(1);
  expect(warnings[0].msg).toBe(`Code on a page failed: ${'x'.repeat(500)}`);
});

it('error reports are logged at most twenty times a minute for each project, but always counted', async () => {
  const before = await counted();
  await send(
    site,
    Array.from({ length: 30 }, () => report(failure())),
  );
  await settled(20);
  expect([warnings.length, (await counted()) - before]).toEqual([20, 30]);
  const other = await newSite(scene);
  await send(other, [report(failure())]);
  await settled(21);
  expect(warnings).toHaveLength(21);
  // The build belongs to another project.
  expect(warnings[20]).toMatchObject({ projectId: other.projectId, revision: null });
});

it.each<[string, unknown]>([
  ['no properties', undefined],
  ['null properties', null],
  ['no build', { where: 'js', message: 'x' }],
  ['an invalid build', { build: '%', where: 'js', message: 'x' }],
  ['no code location', { build: 'ab12ab12', message: 'x' }],
  ['a code location that is a number', { build: 'ab12ab12', where: 5, message: 'x' }],
  ['a long code location', { build: 'ab12ab12', where: 'x'.repeat(65), message: 'x' }],
  ['no message', { build: 'ab12ab12', where: 'js' }],
  ['a message that is an object', { build: 'ab12ab12', where: 'js', message: {} }],
  ['an invalid experiment id', { build: 'ab12ab12', where: 'js', message: 'x', experiment_id: 'x' }],
  ['an invalid variation id', { build: 'ab12ab12', where: 'js', message: 'x', variation_id: 0 }],
  ['an invalid environment', { build: 'ab12ab12', where: 'js', message: 'x', environment: 5 }],
])('an error report is rejected with %s', async (_, properties) => {
  const answer = await send(site, [report(properties)]);
  expect(answer.body).toMatchObject({ accepted: 0, errors: [{ reason: 'invalid_message' }] });
  await settled();
  expect(warnings).toEqual([]);
});

it('an error report is accepted only from the snippet, and not from bots', async () => {
  const bot = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';
  const [plain, crawler] = [
    await send(site, [report(failure(), { context: {} })]),
    await send(site, [report(failure())], bot),
  ];
  expect([plain, crawler].map(({ body }) => body.errors[0].reason)).toEqual(['unknown_type', 'bot']);
  await settled();
  expect(warnings).toEqual([]);
});
