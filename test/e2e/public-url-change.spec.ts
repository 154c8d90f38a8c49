import { movedSnippets } from '../../src/publishing/startup-warnings';
import type { TestApi } from '../support/api';
import { anotherProject, Made, Maker, useScene } from '../support/scene';
import { ServerProcess } from '../support/server-process';
import { eventually } from '../support/waiting';

/* A server whose public URL changes, for instance when a trial becomes production. */

const OLD = 'http://localhost:3000';
const NEW = 'https://ab.example.com';
const scene = useScene({ PUBLIC_URL: OLD });
let server: TestApi;
let make: Maker;
let experiment: Made;

beforeAll(async () => {
  server = await scene.api.sibling({ PUBLIC_URL: NEW });
});
afterAll(() => server.close());

beforeEach(async () => {
  make = await anotherProject(scene);
  experiment = await make.withStatus('running');
});

const client = () => server.as(scene.world.people.admin.token);

/** Whether the live script contains the old URL, and whether it contains the new one. */
async function addresses(): Promise<boolean[]> {
  const { client_key } = (await client().get(make.project)).body as Made;
  const { text } = await client().get(`//s/${client_key}.js`);
  return [OLD, NEW].map((address) => text.includes(`host:"${address}"`));
}

const rollBack = async (revision: number): Promise<number> => {
  const answer = await client().post(`${make.project}/publications/${revision}/rollback`);
  return (answer.body as { snippet_revision: number }).snippet_revision;
};

it('the server warns about scripts that send events to the old URL until they are published', async () => {
  const id = make.project.split('/')[2];
  const isNamed = async (address: string): Promise<boolean> =>
    new RegExp(`, not to ${address}: .*\\b${id}\\b.*\\. Publish`).test(
      (await movedSnippets(server.database.read, address)) ?? '',
    );
  expect([await isNamed(OLD), await isNamed(NEW), await addresses()]).toEqual([false, true, [true, false]]);
  expect((await client().patch(`${experiment.path}/publish`)).body.snippet_revision).toBe(2);
  expect([await isNamed(OLD), await isNamed(NEW), await addresses()]).toEqual([true, false, [false, true]]);
});

it('a worker warns about them at startup, because it publishes with its own PUBLIC_URL', async () => {
  const worker = await ServerProcess.spawn({
    DATABASE_URL: scene.api.databaseUrl,
    WORKER: 'only',
    PUBLIC_URL: NEW,
  });
  await eventually(() => worker.stdout.includes('serves no requests'));
  worker.kill('SIGTERM');
  expect([await worker.exit, worker.stderr]).toEqual([0, '']);
  const warning = expect.stringMatching(`, not to ${NEW}: .*\\b${make.project.split('/')[2]}\\b`) as string;
  expect(worker.logLines()).toContainEqual(expect.objectContaining({ msg: warning }));
});

it('a rollback does not restore the old URL', async () => {
  await client().patch(experiment.path, { css: '.edited{}' });
  await client().patch(`${experiment.path}/publish`);
  expect(await rollBack(1)).toBe(3);
  expect(await addresses()).toEqual([false, true]);
});

it('a rollback to the live revision updates the URL in the script, without other edits', async () => {
  await client().patch(experiment.path, { css: '.edited{}' });
  expect(await rollBack(1)).toBe(2);
  expect(await addresses()).toEqual([false, true]);
  expect(await rollBack(2)).toBe(2);
  const [{ changes }] = (await client().get(`${make.project}/publications`)).body as Made[];
  expect(changes).toMatchObject([{ kind: 'snippet', text: 'Snippet built again' }]);
});
