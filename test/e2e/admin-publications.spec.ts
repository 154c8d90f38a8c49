import { VERSION } from '../../src/config/version';
import { AdminCommand } from '../support/admin';
import { anotherProject, Made, Maker, useScene } from '../support/scene';
import { eventually } from '../support/waiting';

const scene = useScene();
let admin: AdminCommand;
let make: Maker;
let experiment: Made;
let project: string[];

const scriptNow = async (): Promise<string> => {
  const { client_key } = (await scene.client.get(make.project)).body as { client_key: string };
  const { headers, payload } = await scene.api.app.inject({ method: 'GET', url: `/s/${client_key}.js` });
  return `${String(headers['x-snippet-revision'])} ${/\.(first|second)\{\}/.exec(payload)?.[1] ?? ''}`;
};

beforeAll(async () => {
  const { publicUrl } = scene.api.config;
  admin = new AdminCommand(scene.api.databaseUrl, { PUBLIC_URL: publicUrl });
  make = await anotherProject(scene);
  project = ['--project', make.project.split('/')[2]];
});

afterAll(() => admin.remove());

it('there are no publications to list at first', async () => {
  expect(await admin.json(['publications:list', ...project])).toEqual([]);
  expect((await admin.run(['publications:list', ...project])).stdout).toBe(
    'Nothing has been published yet.\n',
  );
});

it('publications:list shows what was published, why and by whom', async () => {
  experiment = await make.withStatus('running', { css: '.first{}' });
  await scene.client.patch(experiment.path, { css: '.second{}' });
  await scene.client.patch(`${experiment.path}/publish`);
  const listed = (await admin.json(['publications:list', ...project])) as Made[];
  const by = { user_id: scene.world.people.admin.id, source_revision: null, snippet_version: VERSION };
  expect(listed).toMatchObject([
    { revision: 2, reason: 'publish', ...by },
    { revision: 1, reason: 'status', ...by },
  ]);
  expect(
    listed.every(({ bytes, bytes_gzip, bytes_brotli }) => bytes > bytes_gzip && bytes_gzip > bytes_brotli),
  ).toBe(true);
  expect(JSON.stringify(listed)).not.toContain('second');
});

it('publications:list shows a single revision, or reports that it does not exist', async () => {
  const listed = (await admin.json(['publications:list', ...project])) as Made[];
  expect(await admin.json(['publications:list', ...project, '--revision', '1'])).toEqual([listed[1]]);
  const answer = await admin.run(['publications:list', ...project, '--revision', '9']);
  expect([answer.code, answer.stderr]).toEqual([
    1,
    expect.stringContaining('There is no revision 9 of project '),
  ]);
});

it.each(['publications:list', 'publications:rollback'])('%s reports an invalid revision', async (command) => {
  const { code, stderr } = await admin.run([command, ...project, '--revision', '-1']);
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining('The revision must be a whole number between 1 and '),
  ]);
});

it('publications:rollback rolls back to an earlier revision, as a new revision', async () => {
  expect(await scriptNow()).toBe('2 second');
  const rolledBack = await admin.json(['publications:rollback', ...project, '--revision', '1']);
  expect(rolledBack).toMatchObject({ revision: 3, reason: 'rollback', source_revision: 1, user_id: null });
  expect(await eventually(async () => (await scriptNow()) === '3 first')).toBe(true);
  expect((await scene.client.get(make.project)).body.snippet_revision).toBe(3);
});

it('a rollback is kept on a status change, but not when the definitions are published', async () => {
  await make.move(await make.ready(), 'running');
  expect(await scriptNow()).toBe('4 first');
  await scene.client.patch(`${experiment.path}/publish`);
  expect(await scriptNow()).toBe('5 second');
});

it('a rollback does not restart experiments that are no longer running', async () => {
  const own = await anotherProject(scene);
  const stopped = await own.withStatus('pause', { api_name: 'stopped' });
  await own.withStatus('running', { api_name: 'going' });
  const id = ['--project', own.project.split('/')[2]];
  const rolledBack = await admin.json(['publications:rollback', ...id, '--revision', '1']);
  expect(rolledBack).toMatchObject({ revision: 4, reason: 'rollback', source_revision: 1 });
  const { client_key } = (await scene.client.get(own.project)).body as { client_key: string };
  const payload = await scene.api.app.inject({ method: 'GET', url: `/api/features/${client_key}` });
  expect(payload.json()).toEqual({ features: {}, experiments: [] });
  expect((await scene.client.delete(stopped.path)).status).toBe(204);
  expect((await scene.client.get(own.project)).body.snippet_revision).toBe(4);
});

it.each([
  [['--revision', '5'], 'The content of revision 5 is already live.'],
  [['--revision', '9'], 'There is no revision 9 of project '],
])('publications:rollback rejects %j', async (args, reason) => {
  const answer = await admin.run(['publications:rollback', ...project, ...args]);
  expect([answer.code, answer.stdout, answer.stderr.startsWith(reason)]).toEqual([1, '', true]);
  expect(await scriptNow()).toBe('5 second');
});

it('publications:list reports an unknown project', async () => {
  const answer = await admin.run(['publications:list', '--project', '99999']);
  expect(answer).toEqual({ code: 1, stdout: '', stderr: 'There is no project 99999.\n' });
});
