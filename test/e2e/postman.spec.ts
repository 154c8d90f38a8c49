import type { TestApi } from '../support/api';
import { attributeAll, exposure, send } from '../support/events';
import { startLive } from '../support/live-server';
import { collectionFrom, PostmanItem, requestsOf, sendAll } from '../support/postman';
import { WRITABLE } from '../support/resources';
import { isDeliveryPath } from '../support/routes';
import { Maker } from '../support/scene';
import { revertibleEntry, storedVisitor, webhookWithDeadDelivery } from '../support/walk';

/*
 * The collection that Postman generates from the OpenAPI document, with the examples as bodies. The test sends it to a
 * server that has the records in the examples. Every request must succeed with a documented status.
 */

/** Existing records that replace the values in examples. */
interface Existing {
  variables: Record<string, string>;
  /** An experiment that never ran, for requests about variations. */
  draft: { experiment: string; variation: string };
  /** Path parameters of shared results. */
  shared: Record<string, string>;
}

interface Planned extends PostmanItem {
  /** The operation as the document names it, such as `get /api/teams`. */
  operation: string;
}

type Operations = Record<string, { responses: Record<string, unknown> }>;

/** Records that the find-by-name examples refer to. Other records have the name in their own example. */
const NAMES = { experiment: 'Green buy button', variation: 'Green button' };

/** Fields that examples of other requests rely on, by record type. */
const FIELDS: Record<string, object> = { goal: { value_type: 'revenue' } };

/** Operations whose responses do not end, because they are streams of server-sent events. */
const ENDLESS = ['get /sub/{clientKey}'];

let api: TestApi;
let existing: Existing;
let documented: Record<string, number[]>;
let planned: Planned[];

beforeAll(async () => {
  api = await startLive();
  existing = await makeExisting();
  const { text } = await api.as(null).get('//docs/openapi.json');
  const { paths } = JSON.parse(text) as { paths: Record<string, Operations> };
  documented = successesOf(paths);
  planned = inOrder(requestsOf(await collectionFrom(text)).map((item) => plan(item)));
});
afterAll(() => api.close());

async function makeExisting(): Promise<Existing> {
  const person = await api.person();
  const team = await api.team();
  await api.join(team, person, 'admin');
  const project = await api.project(team);
  const make = new Maker(person.client, `/projects/${project}`);
  const invited = { email: 'invited@example.com', role: 'viewer' };
  const { user_id: user } = (await person.client.post(`/teams/${team}/members`, invited)).body as {
    user_id: number;
  };
  const ids: Record<string, number> = { team, project, user };
  for (const { type, path, record } of WRITABLE) {
    ids[type] = (await make.of(path, { name: record.example.name, ...FIELDS[type] })).id;
  }
  const variations = [{ name: 'Original' }, { name: NAMES.variation }];
  const draft = await make.experiment({ name: 'Draft', variations });
  const experiment = await make.experiment({
    name: NAMES.experiment,
    variations,
    pages: [ids.page],
    goals: [ids.goal],
    example_url: 'https://shop.example.com/',
  });
  await make.move(experiment, 'running');
  const record = (await person.client.get(make.project)).body;
  const variation = experiment.variations[1];
  await send(api, record.client_key, [exposure('visitor', experiment.id, variation.id)]);
  await attributeAll(api);
  const info = (await person.client.get(`${experiment.path}/results/info`)).body;
  const entry = await revertibleEntry(person.client, make);
  const hook = await webhookWithDeadDelivery(api, person.client, make.project);
  return {
    variables: {
      ...textsOf({
        ...ids,
        experiment: experiment.id,
        variation: variation.id,
        environment: (await make.environment()).id,
      }),
      ...hook,
      entry,
      visitor: await storedVisitor(person, make),
      baseUrl: api.config.publicUrl,
      bearerToken: person.token,
      clientKey: record.client_key,
      revision: String(record.snippet_revision),
      token: new URL(variation.preview_url as string).searchParams.get('gosset_preview') ?? '',
      key: experiment.api_name,
    },
    draft: { experiment: String(draft.id), variation: String(draft.variations[1].id) },
    shared: { token: info.share_token },
  };
}

const textsOf = (values: Record<string, number>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));

/** The success statuses of each operation. */
function successesOf(paths: Record<string, Operations>): Record<string, number[]> {
  return Object.fromEntries(
    Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item)
        .filter(([method]) => method !== 'parameters')
        .map(([method, { responses }]) => [
          `${method} ${path}`,
          Object.keys(responses)
            .filter((status) => status.startsWith('2'))
            .map(Number),
        ]),
    ),
  );
}

/** Path parameters that only certain paths need. */
function ownValues(path: string): Record<string, string> {
  if (path.startsWith('/share/')) {
    return existing.shared;
  }
  return path.includes('/variations') ? existing.draft : {};
}

/** Replaces the values in examples with values of existing records. */
function plan(item: PostmanItem): Planned {
  const { request } = item;
  const path = `/${request.url.path.join('/')}`.replace(/:(\w+)/g, '{$1}').replace(/\{\{(\w+)\}\}/g, '{$1}');
  const own = ownValues(path);
  const url = {
    ...request.url,
    variable: request.url.variable.map((part) => ({ ...part, value: own[part.key] ?? `{{${part.key}}}` })),
  };
  const raw = request.body?.raw;
  const body = raw === undefined || raw === '' ? {} : { body: { ...request.body, raw: withExisting(raw) } };
  const auth = isDeliveryPath(path) ? withToken(request, '{{clientKey}}') : {};
  const operation = `${request.method.toLowerCase()} ${path}`;
  return { ...item, name: operation, operation, request: { ...request, url, ...body, ...auth } };
}

const withToken = ({ auth }: PostmanItem['request'], value: string) =>
  auth?.bearer === undefined
    ? {}
    : { auth: { ...auth, bearer: auth.bearer.map((part) => ({ ...part, value })) } };

/** Replaces experiment 1001, variation 5002, page 2 and goal 3, which the examples refer to. */
function withExisting(raw: string): string {
  const { variables } = existing;
  const { experiment = '', variation = '', clientKey = '' } = variables;
  const text = raw.replaceAll('1001', experiment).replaceAll('5002', variation);
  const body = JSON.parse(text.replace(/pk_\w+/g, clientKey), (key, value: unknown) => {
    const isGoal = key === 'id' && value === 3;
    const lists: Record<string, unknown> = {
      pages: [Number(variables.page)],
      goals: [Number(variables.goal)],
    };
    const isIds = Array.isArray(value) && value.every((each) => typeof each === 'number');
    return isGoal ? Number(variables.goal) : isIds ? (lists[key] ?? value) : value;
  }) as object;
  return JSON.stringify(body);
}

/**
 * Path endings of DELETE requests, in the order in which they are sent: after all other requests, and dependent records
 * first.
 */
const DELETIONS = [
  '/{user}',
  '/{variation}',
  '/{experiment}',
  '/{environment}',
  '/{webhook}',
  ...WRITABLE.map(({ type }) => `/{${type}}`).reverse(),
  '/{project}',
];

/** Requests that revoke links that other requests use. They are sent just before the deletions. */
const ENDING = /\/rotate$/;

function inOrder(items: Planned[]): Planned[] {
  const rank = ({ operation }: Planned): number => {
    const deletion = DELETIONS.findIndex((end) => operation.endsWith(end));
    const others = ENDING.test(operation) ? -1 : -2;
    return operation.startsWith('delete ') ? deletion : others;
  };
  return [...items].sort((a, b) => rank(a) - rank(b));
}

it('the collection has a request for every operation in the document', () => {
  expect(planned.map(({ operation }) => operation).sort()).toEqual(Object.keys(documented).sort());
});

it('the collection can be run from the first to the last request, each with a documented status', async () => {
  const ending = planned.filter(({ operation }) => !ENDLESS.includes(operation));
  const sent = await sendAll(ending, existing.variables);
  const refused = sent.filter(({ name, status }) => !documented[name].some((one) => one === status));
  expect(refused).toEqual([]);
  expect(sent).toHaveLength(Object.keys(documented).length - ENDLESS.length);
});
