import {
  createGosset,
  Gosset,
  GossetError,
  GossetOptions,
  ifMatch,
  ok,
} from '../../clients/typescript/src/index';
import type { Person, TestApi } from '../support/api';
import { failureOf, intercepting, later } from '../support/fetches';
import { startLive } from '../support/live-server';

/* The typed client against the real server, over HTTP. */

let api: TestApi;
let person: Person;
let project: number;
let gosset: Gosset;

beforeAll(async () => {
  api = await startLive();
  person = await api.person();
  const team = await api.team();
  await api.join(team, person, 'admin');
  project = await api.project(team);
  gosset = clientFor(person);
});
afterAll(() => api.close());

const clientFor = ({ token }: Person, options: Partial<GossetOptions> = {}): Gosset =>
  createGosset({ url: `${api.config.publicUrl}/`, token, ...options });

const inProject = () => ({ path: { project } });

const createGoal = (client: Gosset, name: string, key?: string) =>
  client.POST('/api/projects/{project}/goals', {
    params: { ...inProject(), ...(key === undefined ? {} : { header: { 'Idempotency-Key': key } }) },
    body: { name },
  });

const goalNames = async (): Promise<string[]> =>
  (await ok(gosset.GET('/api/projects/{project}/goals', { params: inProject() }))).map(({ name }) => name);

describe('records', () => {
  it('are read and created with the types of the reference', async () => {
    const goal = await ok(createGoal(gosset, 'Typed'));
    const id: number = goal.id;
    const direction: 'increase' | 'decrease' = goal.direction;
    expect([id > 0, direction]).toEqual([true, 'increase']);
    const shown = await ok(
      gosset.GET('/api/projects/{project}/goals/{goal}', { params: { path: { project, goal: id } } }),
    );
    expect(shown).toEqual(goal);
  });

  it('that are partial or from dry runs are rejected by ok(), but available as data', async () => {
    const experiments = gosset.GET('/api/projects/{project}/experiments', {
      params: { ...inProject(), query: { fields: 'name' } },
    });
    await expect(ok(experiments)).rejects.toThrow('ok() is for complete records');
    const tried = gosset.POST('/api/projects/{project}/goals', {
      params: { ...inProject(), query: { dry_run: '1' } },
      body: { name: 'Tried' },
    });
    await expect(ok(tried)).rejects.toThrow('ok() is for complete records');
    expect((await tried).data).toMatchObject({ id: null, name: 'Tried' });
  });

  it('with lite variations are rejected by ok(), but available as data', async () => {
    const variations = [{ name: 'First', css: 'a { color: red }' }];
    await ok(
      gosset.POST('/api/projects/{project}/experiments', {
        params: inProject(),
        body: { name: 'Light', variations },
      }),
    );
    const light = gosset.GET('/api/projects/{project}/experiments', {
      params: { ...inProject(), query: { variations: 'lite', search: 'Light' } },
    });
    await expect(ok(light)).rejects.toThrow('ok() is for complete records');
    expect(Object.keys((await light).data?.[0].variations?.[0] ?? {})).not.toContain('css');
  });

  it('return no body when they are deleted', async () => {
    const { id: goal } = await ok(createGoal(gosset, 'Deleted'));
    const params = { path: { project, goal } };
    await ok(gosset.DELETE('/api/projects/{project}/goals/{goal}', { params }));
    expect(await goalNames()).not.toContain('Deleted');
  });
});

describe('an error response', () => {
  it('contains all validation errors by field', async () => {
    const error = await failureOf(ok(createGoal(gosset, '')));
    expect(error).toBeInstanceOf(GossetError);
    expect(error).toMatchObject({
      name: 'GossetError',
      status: 422,
      code: 'VALIDATION_FAILED',
      message: 'The name field is required.',
      errors: { name: ['The name field is required.'] },
      allowedStatuses: [],
      requestId: expect.stringMatching(/.{8}/),
    });
  });

  it('of a status change contains the allowed statuses', async () => {
    const { id: experiment } = await ok(
      gosset.POST('/api/projects/{project}/experiments', { params: inProject(), body: { name: 'Empty' } }),
    );
    const move = gosset.PATCH('/api/projects/{project}/experiments/{experiment}/status', {
      params: { path: { project, experiment } },
      body: { status: 'running' },
    });
    expect(await failureOf(ok(move))).toMatchObject({
      status: 422,
      code: 'EXPERIMENT_NOT_READY',
      allowedStatuses: ['archive'],
    });
  });

  it('that is not from the API has the status in its message', async () => {
    const { fetch } = intercepting(
      () => new Response('<h1>Bad Gateway</h1>', { status: 502, statusText: 'Bad Gateway' }),
    );
    const error = await failureOf(ok(clientFor(person, { fetch }).GET('/api/teams')));
    expect(error).toMatchObject({
      status: 502,
      message: 'The server responded with 502 Bad Gateway',
      errors: {},
    });
  });
});

describe('a request to an unavailable server', () => {
  const onceRefused = (sent: number): Response | undefined => (sent === 1 ? later(503) : undefined);

  it('is retried', async () => {
    const { fetch, requests } = intercepting(onceRefused);
    expect(await ok(clientFor(person, { fetch }).GET('/api/teams'))).toHaveLength(1);
    expect(requests).toHaveLength(2);
  });

  it('is retried with its key if it is a POST, and is executed once', async () => {
    const { fetch, requests } = intercepting(onceRefused, true);
    const { name } = await ok(createGoal(clientFor(person, { fetch }), 'Once'));
    const keys = requests.map(({ headers }) => headers.get('idempotency-key'));
    expect([name, keys[0], keys.length]).toEqual(['Once', expect.stringMatching(/^[0-9a-f-]{36}$/), 2]);
    expect(new Set(keys).size).toBe(1);
    expect((await goalNames()).filter((known) => known === 'Once')).toHaveLength(1);
  });

  it('is not retried if it is a POST without a key', async () => {
    const { fetch, requests } = intercepting(onceRefused);
    const client = clientFor(person, { fetch, idempotencyKeys: false });
    expect((await failureOf(ok(createGoal(client, 'Never')))).status).toBe(503);
    expect(requests).toHaveLength(1);
    expect(await goalNames()).not.toContain('Never');
  });

  it('is retried if it is a dry run, which stores nothing', async () => {
    const params = { ...inProject(), query: { dry_run: 'true' as const } };
    const { fetch, requests } = intercepting(onceRefused);
    const client = clientFor(person, { fetch, idempotencyKeys: false });
    const path = '/api/projects/{project}/goals';
    expect((await client.POST(path, { params, body: { name: 'Planned' } })).response.status).toBe(201);
    expect(requests).toHaveLength(2);
  });

  it('has the same body on a retry', async () => {
    const { fetch, requests } = intercepting((sent) => (sent === 1 ? later(429) : undefined));
    await ok(createGoal(clientFor(person, { fetch, idempotencyKeys: false }), 'Sent again'));
    expect(await Promise.all(requests.map((request) => request.text()))).toEqual([
      '{"name":"Sent again"}',
      '{"name":"Sent again"}',
    ]);
  });
});

describe('an idempotency key set by the caller', () => {
  it('is sent, so a second run of a script gets the first response', async () => {
    const [first, second] = [
      await createGoal(gosset, 'Keyed', 'run-1'),
      await createGoal(gosset, 'Keyed', 'run-1'),
    ];
    expect(second.data).toEqual(first.data);
    expect(first.response.headers.get('idempotency-replayed')).toBeNull();
    expect(second.response.headers.get('idempotency-replayed')).toBe('true');
  });

  it('is retried while its first request is still running', async () => {
    const { fetch, requests } = intercepting((sent) => (sent === 1 ? later(409) : undefined));
    await ok(createGoal(clientFor(person, { fetch }), 'Under way', 'run-2'));
    expect(requests).toHaveLength(2);
  });
});

describe('ifMatch', () => {
  const update = (goal: { id: number }, description: string, options: object = {}, client = gosset) =>
    client.PATCH('/api/projects/{project}/goals/{goal}', {
      params: { path: { project, goal: goal.id } },
      body: { description },
      ...options,
    });

  it('allows changing an unchanged record', async () => {
    const goal = await ok(createGoal(gosset, 'Unchanged'));
    const changed = await ok(update(goal, 'First', ifMatch(goal)));
    expect((await ok(update(changed, 'Second', ifMatch(changed)))).description).toBe('Second');
  });

  it("does not overwrite another user's change", async () => {
    const goal = await ok(createGoal(gosset, 'Contested'));
    await ok(update(goal, 'Theirs'));
    const error = await failureOf(ok(update(goal, 'Mine', ifMatch(goal))));
    expect([error.name, error.status, error.message]).toEqual(['ChangedError', 412, 'Precondition Failed']);
    const { data } = await gosset.GET('/api/projects/{project}/goals/{goal}', {
      params: { path: { project, goal: goal.id } },
    });
    expect(data?.description).toBe('Theirs');
  });

  it('is not repeated after 503, because the repeat would take its own change for that of another user', async () => {
    const goal = await ok(createGoal(clientFor(person), 'Unclear'));
    const { fetch, requests } = intercepting((sent) => (sent === 1 ? later(503) : undefined), true);
    const error = await failureOf(ok(update(goal, 'Mine', ifMatch(goal), clientFor(person, { fetch }))));
    expect([error.name, error.status, requests.length]).toEqual(['GossetError', 503, 1]);
  });

  it.each([
    ['0', 1],
    ['1', 2],
  ] as const)('with dry_run=%s is sent %s time(s) if the first response is 503', async (dry_run, times) => {
    const goal = await ok(createGoal(clientFor(person), `Planned ${dry_run}`));
    const { fetch, requests } = intercepting((sent) => (sent === 1 ? later(503) : undefined));
    const params = { path: { project, goal: goal.id }, query: { dry_run } };
    await update(goal, 'Mine', { ...ifMatch(goal), params }, clientFor(person, { fetch }));
    expect(requests).toHaveLength(times);
  });

  it('throws an error if the ETag is unknown', async () => {
    const goal = await ok(createGoal(gosset, 'Copied'));
    expect(() => ifMatch({ ...goal })).toThrow('ifMatch() needs the record that ok() returned');
  });
});

it('files are returned as text', async () => {
  const { fetch } = intercepting(
    () => new Response('date,value\r\n', { headers: { 'content-type': 'text/csv' } }),
  );
  const { data } = await clientFor(person, { fetch }).GET(
    '/api/projects/{project}/experiments/{experiment}/results/goal/{goal}/download',
    { params: { path: { project, experiment: 1, goal: 1 } }, parseAs: 'text' },
  );
  expect(data).toBe('date,value\r\n');
});
