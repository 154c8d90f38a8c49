import { TestApi, World } from '../support/api';
import type { Answer } from '../support/client';

/*
 * A request that fails several checks gets the response of the first of them. The order is authentication, rate
 * limit, ability, existence, role, precondition, readable body, validation.
 */

type Method = 'POST' | 'PUT' | 'PATCH' | 'DELETE';

interface Target {
  method: Method;
  path: (ids: Ids) => string;
  /** The same path, but to a record that does not exist. */
  missing: (ids: Ids) => string;
  /** A role that lacks the permission. */
  weak: 'viewer' | 'editor';
  /** A body that is rejected with 422. Null if the route accepts any body. */
  invalid: object | null;
}

interface Ids {
  project: string;
  goal: number;
  experiment: number;
  variation: number;
}

const collection = (name: string): Target => ({
  method: 'POST',
  path: ({ project }) => `${project}/${name}`,
  missing: () => `/projects/2147483647/${name}`,
  weak: 'viewer',
  invalid: { nam: 'typing error' },
});

const TARGETS: Record<string, Target> = {
  'updating a project': {
    method: 'PUT',
    path: ({ project }) => project,
    missing: () => '/projects/2147483647',
    weak: 'editor',
    invalid: { significance: 0.95 },
  },
  'deleting a project': {
    method: 'DELETE',
    path: ({ project }) => project,
    missing: () => '/projects/0',
    weak: 'editor',
    invalid: null,
  },
  'creating a goal': collection('goals'),
  'creating an experiment': collection('experiments'),
  'updating a goal': {
    method: 'PATCH',
    path: ({ project, goal }) => `${project}/goals/${goal}`,
    missing: ({ project }) => `${project}/goals/2147483647`,
    weak: 'viewer',
    invalid: { type: 'nothing' },
  },
  'updating an experiment': {
    method: 'PUT',
    path: ({ project, experiment }) => `${project}/experiments/${experiment}`,
    missing: ({ project }) => `${project}/experiments/2147483647`,
    weak: 'viewer',
    invalid: { traffic_allocation: 101 },
  },
  'cloning an experiment': {
    method: 'POST',
    path: ({ project, experiment }) => `${project}/experiments/${experiment}/clone`,
    missing: ({ project }) => `${project}/experiments/x/clone`,
    weak: 'viewer',
    invalid: { name: 5 },
  },
  'starting an experiment': {
    method: 'PATCH',
    path: ({ project, experiment }) => `${project}/experiments/${experiment}/status`,
    missing: ({ project }) => `${project}/experiments/-1/status`,
    weak: 'viewer',
    invalid: { status: 'started' },
  },
  'updating a variation': {
    method: 'PATCH',
    path: ({ project, experiment, variation }) =>
      `${project}/experiments/${experiment}/variations/${variation}`,
    missing: ({ project, experiment }) => `${project}/experiments/${experiment}/variations/1e3`,
    weak: 'viewer',
    invalid: { traffic_allocation: -1 },
  },
};

let api: TestApi;
let world: World;
let ids: Ids;
let limited: string;

beforeAll(async () => {
  api = await TestApi.start({ TRUST_PROXY: '127.0.0.1' });
  world = await api.world();
  const { client } = world.people.admin;
  const { project } = world;
  const goal = (await client.post(`${project}/goals`, { name: 'Goal' })).body.id as number;
  const experiment = (await client.post(`${project}/experiments`, { name: 'E', variations: [{ name: 'V' }] }))
    .body;
  ids = {
    project,
    goal,
    experiment: experiment.id as number,
    variation: experiment.variations[0].id as number,
  };
  limited = await api.token((await api.person(1)).id, 'read');
});
afterAll(() => api.close());

/** A read-only token of a user who has used up the rate limit and is in no team. */
async function exhausted(): Promise<string> {
  await api.as(limited).get('/teams');
  return limited;
}

const WRONG_TAG = { 'if-match': '"of another version"' };
const NOT_JSON = '{"name": ';

interface Attempt {
  token: string | null;
  exists: boolean;
  headers: Record<string, string>;
  body: string | object | undefined;
}

let addresses = 0;

/** Sends a request. Requests without a token come from different addresses, so each address stays within its limit. */
function send(
  { method, path, missing }: Target,
  { token, exists, headers, body }: Attempt,
): Promise<Answer<Record<string, unknown>>> {
  addresses += 1;
  const from: Record<string, string> =
    token === null ? { 'x-forwarded-for': `10.2.0.${addresses % 250}` } : {};
  return api.as(token).send(method, exists ? path(ids) : missing(ids), body, { ...headers, ...from });
}

const worst: Omit<Attempt, 'token'> = { exists: false, headers: WRONG_TAG, body: NOT_JSON };

describe.each(Object.entries(TARGETS))('%s', (_, target) => {
  const tokenOf = (role: 'weak' | 'admin'): string =>
    world.people[role === 'weak' ? target.weak : role].token;

  it('401 comes first', async () => {
    const { status, body } = await send(target, { ...worst, token: null });
    expect([status, body]).toEqual([401, { message: 'Unauthenticated.', code: 'UNAUTHENTICATED' }]);
  });

  it('429 comes before 403', async () => {
    const { status, body } = await send(target, { ...worst, token: await exhausted() });
    expect([status, body]).toEqual([429, { message: 'Too Many Attempts.', code: 'RATE_LIMITED' }]);
  });

  it('403 for the ability comes before 404', async () => {
    const token = await api.token(world.outsider.id, 'read');
    const { status, body } = await send(target, { ...worst, token });
    expect([status, body]).toEqual([
      403,
      { message: 'Missing required ability: write', code: 'ABILITY_MISSING' },
    ]);
  });

  it('404 comes before 403 for the role', async () => {
    const missing = await send(target, { ...worst, token: tokenOf('weak') });
    const invisible = await send(target, { ...worst, exists: true, token: world.outsider.token });
    expect([missing.status, missing.body]).toEqual([404, { message: 'Not Found', code: 'NOT_FOUND' }]);
    expect([invisible.status, invisible.text]).toEqual([404, missing.text]);
  });

  it('403 for the role comes before 412', async () => {
    const { status, body } = await send(target, { ...worst, exists: true, token: tokenOf('weak') });
    expect([status, body.message, body.role]).toEqual([403, 'This action is unauthorized.', target.weak]);
  });

  it('412 comes before any check of the body', async () => {
    const attempt = { ...worst, exists: true, token: tokenOf('admin') };
    expect((await send(target, attempt)).status).toBe(412);
    expect((await send(target, { ...attempt, body: target.invalid ?? undefined })).status).toBe(412);
  });

  it.each([
    [400, NOT_JSON, 'application/json'],
    [415, 'name=goal', 'application/x-www-form-urlencoded'],
    [415, 'name', 'no media type'],
    [413, `"${'x'.repeat(1024 * 1024)}"`, 'application/json'],
  ])('%i for the body comes after authentication, rate limit and role', async (expected, body, type) => {
    const headers = { 'content-type': type };
    const statuses = [];
    for (const token of [null, await exhausted(), tokenOf('weak'), tokenOf('admin')]) {
      statuses.push((await send(target, { exists: true, headers, token, body })).status);
    }
    expect(statuses).toEqual([401, 429, 403, expected]);
  });

  it('422 comes last', async () => {
    const { invalid } = target;
    if (invalid === null) {
      return;
    }
    const statuses = [];
    for (const token of [null, await exhausted(), world.outsider.token, tokenOf('weak'), tokenOf('admin')]) {
      statuses.push((await send(target, { exists: true, headers: {}, token, body: invalid })).status);
    }
    expect(statuses).toEqual([401, 429, 404, 403, 422]);
  });
});

describe('requests that are rejected immediately after the rate limit', () => {
  it.each([
    [404, 'POST', '/nothing'],
    [404, 'GET', '/projects/1/nothing'],
    [404, 'POST', '/projects/1/variations/find-by-name'],
    [405, 'POST', '/teams'],
    [405, 'DELETE', '/projects/1/environments/1'],
    [405, 'GET', '/projects/1/experiments/1/clone'],
  ] as const)('%i for %s %s, with or without a token', async (status, method, path) => {
    const body = method === 'POST' ? NOT_JSON : undefined;
    for (const token of [null, 'gos_invalid', world.people.admin.token]) {
      const answer = await api.as(token).send(method, path, body);
      expect([token, answer.status]).toEqual([token, status]);
    }
    const refused = await api.as(await exhausted()).send(method, path, body);
    expect([refused.status, refused.body]).toEqual([
      429,
      { message: 'Too Many Attempts.', code: 'RATE_LIMITED' },
    ]);
  });

  // The router itself responds to these requests without any lookup, so they do not count towards a rate limit.
  it.each(['/projects//goals', '/%zz'])('404 for %s, which is not a valid path', async (path) => {
    for (const token of [null, 'gos_invalid', await exhausted(), world.people.admin.token]) {
      expect([token, (await api.as(token).get(path)).status]).toEqual([token, 404]);
    }
  });

  it('405 lists the allowed methods of a known path', async () => {
    const { status, headers, body } = await api.as(null).send('DELETE', '/projects/1/goals');
    expect([status, headers.allow, body]).toEqual([
      405,
      'GET, HEAD, POST',
      {
        message: 'The DELETE method is not supported here. Supported methods: GET, HEAD, POST.',
        code: 'METHOD_NOT_ALLOWED',
      },
    ]);
  });
});

describe('reading', () => {
  it('404 comes before 422', async () => {
    const { client } = world.people.viewer;
    expect((await client.get('/projects/2147483647/experiments?fields=nothing')).status).toBe(404);
    expect((await client.get(`${ids.project}/experiments?fields=nothing`)).status).toBe(422);
  });

  it('422 is returned even if the ETag matches', async () => {
    const { client } = world.people.viewer;
    const { status } = await client.get(`${ids.project}/goals?page=0`, { 'if-none-match': '*' });
    expect(status).toBe(422);
  });
});
