import type { OpenAPIObject } from '@nestjs/swagger';
import Ajv from 'ajv/dist/2020';
import { ExperimentRecord } from '../../src/experiments/experiment.record';
import { CreatePage, PageRecord } from '../../src/resources/pages/page.record';
import { compilePage, pageMatches } from '../../src/resources/pages/page-matching';
import { buildDocument } from '../../src/platform/reference/reference';
import { CreateWebhook } from '../../src/webhooks/webhook.record';
import { TestApi } from '../support/api';
import { SeededDemo, seedDemo } from '../support/demo';
import { Maker } from '../support/scene';
import { revertibleEntry, storedVisitor } from '../support/walk';

/* Users try the examples of the reference first, so the examples must work with the demo. */

interface Operation {
  operationId: string;
  requestBody?: { content: Record<string, { examples: { example: { value: object } } }> };
  responses: Record<string, unknown>;
}

interface Path {
  parameters?: { name: string; in: string; example: number }[];
  get?: Operation;
  post?: Operation;
}

let api: TestApi;
let demo: SeededDemo;
let document: OpenAPIObject;
let entry: string;
let visitor: string;

beforeAll(async () => {
  // One user sends all the examples within seconds, so the rate limit is disabled.
  api = await TestApi.start({ RATE_LIMIT_PER_MINUTE: '0' });
  demo = await seedDemo(api);
  await addWebhook();
  entry = await revertibleEntry(demo.client, new Maker(demo.client, demo.project));
  visitor = await storedVisitor(demo, new Maker(demo.client, demo.project));
  document = buildDocument(api.app, api.config);
});
afterAll(() => api.close());

/** Adds a webhook, because the demo has none: it sends nothing to other systems. */
async function addWebhook(): Promise<void> {
  const made = await demo.client.post(`${demo.project}/webhooks`, {
    ...CreateWebhook.example,
    is_active: false,
  });
  expect(made.status).toBe(201);
  expect((await demo.client.post(`${demo.project}/webhooks/${made.body.id}/test`)).status).toBe(200);
  await api.database.transaction((tx) => tx.query(`UPDATE webhook_deliveries SET status = 'dead'`));
}

/** All operations that read or create records of projects, with the ids in the reference. */
const suggestions = (method: 'get' | 'post') =>
  Object.entries(document.paths as unknown as Record<string, Path>).flatMap(([path, item]) => {
    const operation = item[method];
    if (operation === undefined || !path.startsWith('/api/projects/') || path.includes('/results')) {
      return [];
    }
    const ids: Record<string, unknown> = {
      ...Object.fromEntries((item.parameters ?? []).map(({ name, example }) => [name, example])),
      // The demo has no audit entries, and its visitors have random ids, so the test replaces these two ids.
      entry,
      visitor,
    };
    const address = path.slice('/api'.length).replace(/\{(\w+)\}/g, (_, name: string) => String(ids[name]));
    const body = Object.values(operation.requestBody?.content ?? {})[0]?.examples.example.value;
    const success = Object.keys(operation.responses).find((status) => status.startsWith('2'));
    return [{ id: operation.operationId, address, body, status: Number(success) }];
  });

it.each([
  ['in the create request', CreatePage.example.conditions],
  ['in the response', PageRecord.example.conditions],
])('the example page %s matches the example URL of the experiment', (_, conditions) => {
  const checked = conditions.map(({ match, value }) => ({ match, value, negate: false }));
  const page = compilePage(checked as PageRecord['conditions']);
  expect(pageMatches(page, ExperimentRecord.example.example_url ?? '')).toBe(true);
  expect(pageMatches(page, 'https://shop.example.com/cart')).toBe(false);
});

it('every record and list of the demo can be read with the ids in the examples', async () => {
  const found = await Promise.all(
    suggestions('get').map(async ({ id, address }) => [id, (await demo.client.get(address)).status]),
  );
  expect(found.length).toBeGreaterThan(10);
  expect(found.filter(([, status]) => status !== 200)).toEqual([]);
});

it('every example body that creates or finds a record works in the demo', async () => {
  const refused: unknown[] = [];
  for (const { id, address, body, status } of suggestions('post')) {
    const answer = await demo.client.post(address, body);
    refused.push(...(answer.status === status ? [] : [[id, body, answer.status, answer.body]]));
  }
  expect(refused).toEqual([]);
  expect(suggestions('post').map(({ id }) => id)).toEqual(
    expect.arrayContaining(['createExperiment', 'createVariation', 'findGoalByName', 'findPageByName']),
  );
});

it.each([
  ['no lists', {}],
  ['a single list', { goals: [] }],
  ['the export', null],
])('a definition with %s is valid for the server and for the schema in the reference', async (_, given) => {
  const path = '/api/projects/{project}/definition';
  const place = `${demo.project}/definition`;
  const body = given ?? (await demo.client.get(place)).body;
  const { $ref } = (
    document.paths[path]?.put?.requestBody as { content: Record<string, { schema: { $ref: string } }> }
  ).content['application/json'].schema;
  const ajv = new Ajv({ strict: false }).addSchema({ $id: 'document', ...document });
  const validate = ajv.compile({ $ref: `document${$ref}` });
  expect([validate(body), validate.errors]).toEqual([true, null]);
  expect((await demo.client.put(`${place}?dry_run=1`, body)).status).toBe(200);
});

describe('If-Match on create', () => {
  const describedAt = (path: string): string => {
    const parameters = document.paths[path]?.post?.parameters as { name: string; description: string }[];
    return parameters.find(({ name }) => name === 'If-Match')?.description ?? '';
  };

  it('refers to the project, or to the experiment if the experiment is the parent', () => {
    const project = '/api/projects/{project}';
    expect(describedAt(`${project}/goals`)).toMatch(/^ETag of the project \(/);
    expect(describedAt(`${project}/experiments`)).toMatch(/^ETag of the project \(/);
    expect(describedAt(`${project}/experiments/{experiment}/variations`)).toMatch(
      /^ETag of the experiment \(/,
    );
    expect(describedAt(`${project}/experiments/{experiment}/clone`)).toMatch(
      /^ETag of the experiment that is cloned \(/,
    );
  });

  it('is compared with the ETag of that record only', async () => {
    const make = new Maker(demo.client, demo.project);
    const { path } = await make.experiment();
    const tagOf = async (address: string): Promise<string> =>
      (await demo.client.get(address)).headers.etag ?? '';
    const [project, experiment] = [await tagOf(demo.project), await tagOf(path)];
    const post = async (address: string, tag: string): Promise<number> =>
      (await demo.client.post(address, { name: 'Made' }, { 'if-match': tag })).status;
    expect([
      await post(`${demo.project}/goals`, project),
      await post(`${demo.project}/goals`, experiment),
      await post(`${path}/variations`, project),
      await post(`${path}/clone`, project),
      await post(`${path}/clone`, experiment),
      await post(`${path}/variations`, experiment),
    ]).toEqual([201, 412, 412, 412, 201, 201]);
  });
});
