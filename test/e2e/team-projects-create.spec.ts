import { MAX_PROJECTS } from '../../src/projects/project.record';
import { TrashService } from '../../src/projects/trash/trash.service';
import { errorsOf, TIMESTAMP, useScene } from '../support/scene';

/* Creating projects over REST. */

const scene = useScene();
let path: string;
beforeAll(() => {
  path = `/teams/${scene.world.teamId}/projects`;
});

const idsOf = async (): Promise<number[]> =>
  ((await scene.client.get(path)).body as { id: number }[]).map(({ id }) => id);

it('a request creates a project with the defaults, a client key and one environment', async () => {
  const before = (await scene.client.get(path)).headers.etag;
  const { status, body, headers } = await scene.client.post(path, { name: '  Café 🛒 ' });
  expect([status, body]).toEqual([
    201,
    {
      id: expect.any(Number),
      team_id: scene.world.teamId,
      name: 'Café 🛒',
      storage: 'localStorage',
      snippet_revision: 0,
      snippet_version: expect.any(String),
      snippet_url: `https://ab.example.com/s/${body.client_key}.js`,
      client_key: expect.stringMatching(/^pk_[A-Za-z0-9]{24}$/),
      description: null,
      significance: 95,
      min_conversions: 25,
      min_runtime_days: 7,
      statistics_method: 'sequential',
      created_at: expect.stringMatching(TIMESTAMP),
      updated_at: expect.stringMatching(TIMESTAMP),
    },
  ]);
  const location = `/projects/${body.id}`;
  expect(headers.location).toBe(`https://ab.example.com/api${location}`);
  const shown = await scene.client.get(location);
  expect([shown.body, shown.headers.etag]).toEqual([body, headers.etag]);
  const environments = (await scene.client.get(`${location}/environments`)).body;
  expect(environments).toMatchObject([{ name: 'Production', is_default: true, code: 'return true;' }]);
  expect((await scene.client.get(path)).headers.etag).not.toBe(before);
  const [entry] = (await scene.client.get(`${location}/audit?action=create&item_type=project`)).body;
  expect(entry).toMatchObject({ item_id: body.id, actor: { user_id: scene.world.people.admin.id } });
});

it('a request can create a project that stores assignments in a cookie', async () => {
  const { body } = await scene.client.post(path, { name: 'Shop', storage: 'cookie' });
  expect(body).toMatchObject({ name: 'Shop', storage: 'cookie' });
});

it.each([
  [{}, { name: ['The name field is required.'] }],
  [{ name: 'Shop', storage: 'sql' }, { storage: ['The storage must be one of: localStorage, cookie.'] }],
  [{ name: 'Shop', team_id: 999_999 }, { team_id: ['The team_id field is read-only.'] }],
  [{ name: 'Shop', storag: 'cookie' }, { storag: [expect.stringContaining('storage')] }],
  [{ name: 'Shop', client_key: 'pk_mine' }, { client_key: ['The client_key field is read-only.'] }],
  [
    { name: 'Shop', significance: 97.5, min_runtime_days: 14 },
    {
      significance: ['The significance field cannot be set on creation. Change it afterwards.'],
      min_runtime_days: ['The min_runtime_days field cannot be set on creation. Change it afterwards.'],
    },
  ],
])('the request %j is rejected and creates nothing', async (body, errors) => {
  const before = await idsOf();
  expect(errorsOf(await scene.client.post(path, body))).toEqual(errors);
  expect(await idsOf()).toEqual(before);
});

it('a dry run returns no id and no key, and stores nothing', async () => {
  const before = await idsOf();
  const { status, body, headers } = await scene.client.post(`${path}?dry_run=1`, { name: 'Shop' });
  expect([status, headers['x-dry-run'], headers.location]).toEqual([201, 'true', undefined]);
  expect(body).toMatchObject({ id: null, client_key: null, snippet_url: null, name: 'Shop' });
  expect(await idsOf()).toEqual(before);
});

it('requests with the same Idempotency-Key create one project', async () => {
  const [body, key] = [{ name: 'Once' }, { 'idempotency-key': 'project-once' }];
  const first = await scene.client.post(path, body, key);
  const again = await scene.client.post(path, body, key);
  expect([again.headers['idempotency-replayed'], again.body]).toEqual(['true', first.body]);
});

it('If-Match is compared with the ETag of the project list', async () => {
  const { headers } = await scene.client.get(path);
  const condition = { 'if-match': headers.etag! };
  expect((await scene.client.post(path, { name: 'First' }, condition)).status).toBe(201);
  expect((await scene.client.post(path, { name: 'Second' }, condition)).status).toBe(412);
});

it('tokens that are limited to projects cannot create projects, even if they belong to admins', async () => {
  const { people, projectId } = scene.world;
  const token = await scene.api.token(people.admin.id, 'write', { projectIds: [projectId] });
  const answer = await scene.api.as(token).post(path, { name: 'Beyond the limit' });
  expect([answer.status, answer.body]).toEqual([404, { message: 'Not Found', code: 'NOT_FOUND' }]);
});

it("the limit on a team's projects is enforced, even for concurrent requests and restored projects", async () => {
  const teamId = await scene.api.team('Full');
  await scene.api.join(teamId, scene.world.people.admin, 'admin');
  const first = await scene.api.project(teamId);
  const { database } = scene.api;
  const columns = database.writer.getRepository('projects').metadata.columns.map((each) => each.databaseName);
  const copied = columns.filter((column) => column !== 'id' && column !== 'client_key');
  await database.transaction(async (tx) => {
    for (let index = 1; index < MAX_PROJECTS - 1; index += 1) {
      await tx.query(
        `INSERT INTO projects (client_key, ${copied.join(', ')})
         SELECT ?, ${copied.join(', ')} FROM projects WHERE id = ?`,
        [`pk_${index}`, first],
      );
    }
  });
  const ofTeam = `/teams/${teamId}/projects`;
  const answers = await Promise.all(
    ['One', 'Two', 'Three'].map((name) => scene.client.post(ofTeam, { name })),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 422, 422]);
  const refused = answers.find(({ status }) => status === 422)!;
  const full = { team: [`A team can have at most ${MAX_PROJECTS} projects. Delete one first.`] };
  expect(errorsOf(refused)).toEqual(full);
  expect((await scene.client.delete(`/projects/${first}`)).status).toBe(204);
  const last = await scene.client.post(ofTeam, { name: 'Room again' });
  expect(last.status).toBe(201);
  const restoreFirst = () =>
    scene.api.app.get(TrashService, { strict: false }).restore({ type: 'project', id: first }, 'admin');
  await expect(restoreFirst()).rejects.toMatchObject({ extra: { errors: full } });
  expect((await scene.client.get(`/projects/${first}`)).status).toBe(404);
  expect((await scene.client.delete(`/projects/${last.body.id}`)).status).toBe(204);
  expect(await restoreFirst()).toBeNull();
});
