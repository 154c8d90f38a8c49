import { ROLES } from '../../src/platform/access/roles';
import { Person, TestApi, World } from '../support/api';
import { Cells } from '../support/cells';
import type { Answer } from '../support/client';
import { RESOURCES } from '../support/resources';
import { controllerRoutesOf } from '../support/routes';
import { KINDS, Maker } from '../support/scene';
import { revertibleEntry, storedVisitor, webhookWithDeadDelivery } from '../support/walk';
import { MATRIX } from './access-matrix.data';
import type { History, Row } from './access-matrix.rows';

type Params = Record<string, string>;

let api: TestApi;
let world: World;
let readTokens: Map<Person, string>;
let parts: { page: number; goal: number };

beforeAll(async () => {
  api = await TestApi.start({ TRUST_PROXY: '127.0.0.1', METRICS_ALLOW: '127.0.0.1,10.0.0.0/8' });
  world = await api.world();
  const everybody = [...Object.values(world.people), world.outsider];
  readTokens = new Map();
  for (const person of everybody) {
    readTokens.set(person, await api.token(person.id, 'read'));
  }
  parts = { page: await create('pages', {}), goal: await create('goals', {}) };
  for (const kind of KINDS) {
    await create(kind, {});
  }
});
afterAll(() => api.close());

async function create(collection: string, fields: object): Promise<number> {
  const body = { name: 'Existing', ...fields };
  const { status, body: record } = await world.people.admin.client.post(
    `${world.project}/${collection}`,
    body,
  );
  expect(status).toBe(201);
  return record.id as number;
}

let environments = 0;

let invited = 0;

async function invitedMember(): Promise<number> {
  invited += 1;
  const body = { email: `invited-${invited}@example.com`, role: 'viewer' };
  const added = await world.people.admin.client.post(`/teams/${world.teamId}/members`, body);
  expect(added.status).toBe(201);
  return added.body.user_id as number;
}

/** Creates an experiment that has gone through these statuses. */
async function experimentWith(history: History): Promise<{ id: number; variation: number }> {
  const client = world.people.admin.client;
  const variations = [{ name: 'Only one' }];
  const id = await create('experiments', { variations, pages: [parts.page], goals: [parts.goal] });
  const path = `${world.project}/experiments/${id}`;
  for (const status of history.split(', ').filter((step) => step !== 'draft')) {
    const steps = status === 'pause' ? ['running', 'pause'] : [status];
    for (const step of steps) {
      expect((await client.patch(`${path}/status`, { status: step })).status).toBe(200);
    }
  }
  const [variation] = (await client.get(`${path}/variations`)).body as { id: number }[];
  return { id, variation: variation.id };
}

/** Creates records for the ids in the path of a row. */
async function paramsFor({ route, experiment = 'draft' }: Row): Promise<Params> {
  const params: Params = { team: String(world.teamId), project: String(world.projectId) };
  if (route === 'DELETE /api/projects/:project') {
    params.project = String(await api.project(world.teamId));
  }
  if (route.includes(':user')) {
    params.user = String(await invitedMember());
  }
  if (route.includes(':entry')) {
    const { client } = world.people.admin;
    params.entry = await revertibleEntry(client, new Maker(client, world.project));
  }
  if (route.includes(':visitor')) {
    const { client } = world.people.admin;
    params.visitor = await storedVisitor({ client }, new Maker(client, world.project));
  }
  if (route.includes(':revision')) {
    await experimentWith('running');
    params.revision = '1';
  }
  for (const { type, path, writes } of RESOURCES.filter((resource) => route.includes(`:${resource.type}`))) {
    const list = await world.people.admin.client.get(`${world.project}/${path}`);
    params[type] = String(writes === undefined ? list.body[0].id : await create(path, {}));
  }
  if (route.includes('/settings/environments/')) {
    params.environment = String(
      await create('settings/environments', { name: `Environment ${(environments += 1)}` }),
    );
  }
  if (route.includes('webhooks')) {
    Object.assign(params, await webhookWithDeadDelivery(api, world.people.admin.client, world.project));
  }
  if (route.includes(':experiment')) {
    const { id, variation } = await experimentWith(experiment);
    if (route.includes('/results')) {
      await new Cells(api, id).entered({ variation, day: '2026-05-01' }, 1).store();
      params.goal = String(parts.goal);
    }
    return { ...params, experiment: String(id), variation: String(variation) };
  }
  return params;
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Makes the requests of a row. Reuses its records until a write succeeds, because the write may have changed them. */
class Calls {
  private params: Params | null = null;

  constructor(private readonly row: Row) {}

  async make(token: string | null): Promise<Answer> {
    const [method, path] = this.row.route.split(' ') as [Method, string];
    const params = (this.params ??= await paramsFor(this.row));
    const url = path.replace(/:(\w+)/g, (_, name: string) => params[name] ?? `no ${name}`);
    const headers: Record<string, string> = token === null ? { 'x-forwarded-for': nextAddress() } : {};
    const answer = await api.as(token).send(method, `/${url}`, this.row.body, headers);
    if (method !== 'GET' && answer.status < 400) {
      this.params = null;
    }
    return answer;
  }
}

let addresses = 0;

/** Requests without a token are rate limited by address, so each one comes from a different address. */
function nextAddress(): string {
  addresses += 1;
  return `10.0.0.${addresses}`;
}

/** Summarises a response in one line, with the whole body if the request was rejected. */
function outcome({ status, body, headers }: Answer): string {
  const challenge = status === 401 ? ` ${headers['www-authenticate'] ?? 'without challenge'}` : '';
  const said = headers['content-type']?.startsWith('text/html') ? 'page' : JSON.stringify(body);
  return status < 400 ? String(status) : `${status}${challenge} ${said}`;
}

const REFUSALS: Record<number, string> = {
  401: '401 Bearer {"message":"Unauthenticated.","code":"UNAUTHENTICATED"}',
  404: '404 {"message":"Not Found","code":"NOT_FOUND"}',
};
const NO_ABILITY = '403 {"message":"Missing required ability: write","code":"ABILITY_MISSING"}';
const noPermission = (role: string, permission: string): string =>
  `403 ${JSON.stringify({ message: 'This action is unauthorized.', code: 'ROLE_INSUFFICIENT', role, permission })}`;

const stated = (status: number, forbidden: string): string => {
  const missing = forbidden === '403 page' && status === 404 ? '404 page' : REFUSALS[status];
  return status === 403 ? forbidden : (missing ?? String(status));
};

describe('access', () => {
  it.each(
    MATRIX.map((row) => [[row.route, row.experiment, JSON.stringify(row.body)].join(' '), row] as const),
  )('%s', async (_, row) => {
    const { write, others, lacking = 'nothing', isPage } = row;
    const refusal = (json: string): string => (isPage ? '403 page' : json);
    const expected: Record<string, string> = {};
    const actual: Record<string, string> = {};
    const calls = new Calls(row);
    for (const [index, role] of ROLES.entries()) {
      const person = world.people[role];
      expected[role] = stated(write[index], refusal(noPermission(role, lacking)));
      actual[role] = outcome(await calls.make(person.token));
      const isReading = row.route.startsWith('GET ') || row.route.endsWith('/find-by-name');
      const unreadable = isReading ? noPermission(role, lacking) : NO_ABILITY;
      expected[`${role}, read token`] = stated(others.readToken[index], refusal(unreadable));
      actual[`${role}, read token`] = outcome(await calls.make(readTokens.get(person)!));
    }
    expected.outsider = stated(others.outsider[0], refusal('nothing'));
    actual.outsider = outcome(await calls.make(world.outsider.token));
    expected['outsider, read token'] = stated(others.outsider[1], refusal(NO_ABILITY));
    actual['outsider, read token'] = outcome(await calls.make(readTokens.get(world.outsider)!));
    expected.nobody = stated(others.nobody, refusal('nothing'));
    actual.nobody = outcome(await calls.make(null));
    expect(actual).toEqual(expected);
  });

  it('is defined for all routes, and for no others', () => {
    const statedRoutes = new Set(MATRIX.map(({ route }) => route));
    expect([...statedRoutes].sort()).toEqual(controllerRoutesOf(api.app).sort());
  });
});
