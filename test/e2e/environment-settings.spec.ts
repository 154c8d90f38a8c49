import { MAX_ENVIRONMENTS } from '../../src/resources/environments/environments.resource';
import { anotherProject, errorsOf, Maker, TIMESTAMP, useScene } from '../support/scene';

/* Changing environments in the REST API. */

const scene = useScene();
let make: Maker;
let settings: string;
beforeEach(async () => {
  make = await anotherProject(scene);
  settings = `${make.project}/settings/environments`;
});

type Named = { id: number; name: string; is_default: boolean };

const listed = async (): Promise<Named[]> => (await scene.client.get(`${make.project}/environments`)).body;

const actions = async (): Promise<unknown[]> => {
  const { body } = await scene.client.get(`${make.project}/audit?item_type=environment`);
  return (body as { action: string; item_name: string }[]).map((each) => [each.action, each.item_name]);
};

describe('creating an environment', () => {
  it('requires only a name, and returns the URL of the record', async () => {
    const { status, body, headers } = await scene.client.post(settings, { name: ' Staging ' });
    expect([status, body]).toEqual([
      201,
      {
        id: expect.any(Number),
        project_id: make.projectId,
        name: 'Staging',
        api_name: 'staging',
        is_default: false,
        code: 'return true;',
        created_at: expect.stringMatching(TIMESTAMP),
        updated_at: expect.stringMatching(TIMESTAMP),
      },
    ]);
    expect(headers.location).toBe(`https://ab.example.com/api${make.project}/environments/${body.id}`);
    const shown = await scene.client.get(`${make.project}/environments/${body.id}`);
    expect([shown.body, shown.headers.etag]).toEqual([body, headers.etag]);
    expect((await actions())[0]).toEqual(['create', 'Staging']);
  });

  it('moves the default from the previous default environment', async () => {
    const { body } = await scene.client.post(settings, { name: 'Live', is_default: true, api_name: 'live' });
    expect((await listed()).filter((each) => each.is_default)).toEqual([body]);
  });

  it.each([
    [{ name: 'Production' }, { name: ['The project already has an environment named Production.'] }],
    [{ name: 'Other', api_name: 'production' }, { api_name: ['The api name has already been taken.'] }],
    [{ name: 'Other', code: 'return (' }, { code: [expect.stringContaining('does not parse')] }],
    [{ name: 'Other', code: null }, { code: [expect.any(String)] }],
    [{}, { name: ['The name field is required.'] }],
    [{ name: 'Other', project_id: 999_999 }, { project_id: ['The project_id field is read-only.'] }],
  ])('rejects %j', async (body, errors) => {
    expect(errorsOf(await scene.client.post(settings, body))).toEqual(errors);
    expect(await listed()).toHaveLength(1);
  });

  it('stores nothing in a dry run', async () => {
    const { body } = await scene.client.post(`${settings}?dry_run=1`, { name: 'Staging', is_default: true });
    expect(body).toMatchObject({ id: null, name: 'Staging', is_default: true });
    expect(await listed()).toMatchObject([{ name: 'Production', is_default: true }]);
  });

  it('creates one environment per Idempotency-Key, and accepts the ETag of the project', async () => {
    const key = { 'idempotency-key': settings };
    const first = await scene.client.post(settings, { name: 'Once' }, key);
    const again = await scene.client.post(settings, { name: 'Once' }, key);
    expect([again.headers['idempotency-replayed'], again.body]).toEqual(['true', first.body]);
    const stale = (await scene.client.get(make.project)).headers.etag!;
    await scene.client.patch(make.project, { description: 'Changed since' });
    expect((await scene.client.post(settings, { name: 'Late' }, { 'if-match': stale })).status).toBe(412);
  });

  it('is rejected at the limit', async () => {
    for (let index = 1; index < MAX_ENVIRONMENTS; index += 1) {
      await make.environment({ name: `Host ${index}` });
    }
    expect(errorsOf(await scene.client.post(settings, { name: 'One more' }))).toEqual({
      environment: [`A project can have at most ${MAX_ENVIRONMENTS} environments. Delete one first.`],
    });
  });
});

describe('changing an environment', () => {
  it('renames it, including in experiments, and keeps the api_name', async () => {
    const staging = await make.environment({ name: 'Staging' });
    const experiment = await make.experiment({ environments: [staging.id] });
    const path = `${settings}/${staging.id}`;
    const { status, body, headers } = await scene.client.patch(path, { name: 'Test', api_name: 'staging' });
    expect([status, body]).toMatchObject([200, { name: 'Test', api_name: 'staging' }]);
    expect((await scene.client.get(experiment.path)).body.environments).toEqual([
      { id: staging.id, name: 'Test' },
    ]);
    const shown = await scene.client.get(`${make.project}/environments/${staging.id}`);
    expect([shown.body, shown.headers.etag]).toEqual([body, headers.etag]);
    expect((await actions())[0]).toEqual(['update', 'Test']);
  });

  it('accepts the unchanged record, and changes nothing', async () => {
    const staging = await make.environment({ name: 'Staging' });
    const before = await scene.client.get(`${make.project}/environments/${staging.id}`);
    const { body, headers } = await scene.client.patch(`${settings}/${staging.id}`, before.body);
    expect([body, headers.etag]).toEqual([before.body, before.headers.etag]);
  });

  it('keeps code that only an earlier release accepted until the code changes', async () => {
    const { id } = await make.environment({ name: 'Staging' });
    await scene.api.database.transaction((tx) =>
      tx.query(`UPDATE environments SET code = '}' WHERE id = ?`, [id]),
    );
    const path = `${settings}/${id}`;
    const { body } = await scene.client.get(`${make.project}/environments/${id}`);
    expect((await scene.client.patch(path, body)).body).toEqual(body);
    const renamed = await scene.client.patch(path, { name: 'Test' });
    expect([renamed.status, renamed.body]).toMatchObject([200, { name: 'Test', code: '}' }]);
    const refused = await scene.client.patch(path, { ...renamed.body, code: ')' });
    expect(Object.keys(errorsOf(refused))).toEqual(['code']);
  });

  it('can move the default, but not remove it', async () => {
    const staging = await make.environment({ name: 'Staging' });
    const [production] = await listed();
    expect(errorsOf(await scene.client.patch(`${settings}/${production.id}`, { is_default: false }))).toEqual(
      {
        is_default: [
          'Every project has a default environment. Set is_default to true on another one instead.',
        ],
      },
    );
    await scene.client.patch(`${settings}/${staging.id}`, { is_default: true });
    expect((await listed()).filter((each) => each.is_default).map(({ name }) => name)).toEqual(['Staging']);
    expect((await scene.client.patch(`${settings}/${production.id}`, { is_default: false })).status).toBe(
      200,
    );
  });

  it('is rejected for taken names and with an outdated If-Match', async () => {
    const staging = await make.environment({ name: 'Staging', api_name: 'stage' });
    const path = `${settings}/${staging.id}`;
    const refused = await scene.client.patch(path, { name: 'Production', api_name: 'production' });
    expect(Object.keys(errorsOf(refused))).toEqual(['name', 'api_name']);
    const { etag } = (await scene.client.get(`${make.project}/environments/${staging.id}`)).headers;
    await scene.client.patch(path, { code: 'return false;' });
    const stale = await scene.client.patch(path, { code: 'return true;' }, { 'if-match': etag! });
    expect(stale.status).toBe(412);
  });
});

describe('deleting an environment', () => {
  it('detaches it from experiments', async () => {
    const staging = await make.environment({ name: 'Staging' });
    const experiment = await make.experiment({ environments: [staging.id] });
    const { status, text } = await scene.client.delete(`${settings}/${staging.id}`);
    expect([status, text]).toEqual([204, '']);
    expect((await scene.client.get(experiment.path)).body.environments).toEqual([]);
    expect((await scene.client.get(`${make.project}/environments/${staging.id}`)).status).toBe(404);
    expect((await scene.client.delete(`${settings}/${staging.id}`)).status).toBe(404);
    expect((await actions())[0]).toEqual(['delete', 'Staging']);
  });

  it('is rejected for the default environment and for the last one of a running experiment', async () => {
    const [production] = await listed();
    expect(errorsOf(await scene.client.delete(`${settings}/${production.id}`))).toEqual({
      environment: ['The default environment cannot be deleted; make another one the default first.'],
    });
    const staging = await make.environment({ name: 'Staging' });
    await make.withStatus('running', { name: 'Staged', environments: [staging.id] });
    const { experiments } = errorsOf(await scene.client.delete(`${settings}/${staging.id}`));
    expect(experiments[0]).toContain('Staged');
    expect(await listed()).toHaveLength(2);
  });

  it('in a published project takes effect in SDKs with the next publication', async () => {
    const staging = await make.environment({ name: 'Staging' });
    const { path } = await make.withStatus('running');
    const { client_key: key } = (await scene.client.get(make.project)).body;
    const payload = (): Promise<number> =>
      scene.client.get(`//api/features/${key}?environment=staging`).then(({ status }) => status);
    await scene.client.patch(`${path}/publish`);
    expect(await payload()).toBe(200);
    await scene.client.delete(`${settings}/${staging.id}`);
    expect(await payload()).toBe(200);
    await scene.client.patch(`${path}/publish`);
    expect(await payload()).toBe(422);
  });
});

it('environments can be changed only on the path of their project', async () => {
  const [theirs] = (await scene.other.client.get(`${scene.other.project}/environments`)).body;
  for (const path of [`${settings}/${theirs.id}`, `${settings}/0`, `${settings}/x`]) {
    expect((await scene.client.patch(path, { name: 'Mine' })).status).toBe(404);
    expect((await scene.client.delete(path)).status).toBe(404);
  }
});

it.each([
  ['GET', '', 'POST'],
  ['PUT', '/1', 'DELETE, PATCH'],
] as const)('environment settings do not support %s at %j', async (method, below, allow) => {
  const { status, headers } = await scene.client.send(
    method,
    settings + below,
    method === 'PUT' ? {} : undefined,
  );
  expect([status, headers.allow]).toEqual([405, allow]);
});
