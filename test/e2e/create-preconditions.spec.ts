import { randomUUID } from 'node:crypto';
import { ExperimentsService } from '../../src/experiments/experiments.service';
import { ProjectItems } from '../../src/projects/project-items';
import { ProjectsService } from '../../src/projects/projects.service';
import { MembersService } from '../../src/teams/members.service';
import type { Answer } from '../support/client';
import { useScene } from '../support/scene';

/* If-Match of requests that create records, while another request changes what the condition is about. */

const scene = useScene();

interface Creation {
  path: string;
  body: object;
}

const project = (): Creation => ({ path: `/teams/${scene.world.teamId}/projects`, body: { name: 'Shop' } });
const member = (): Creation => ({
  path: `/teams/${scene.world.teamId}/members`,
  body: { email: `${randomUUID()}@example.com`, role: 'viewer' },
});
const inProject = (list: string, body: object) => (): Creation => ({
  path: `${scene.project}/${list}`,
  body,
});

const create = ({ path, body }: Creation, tag: string): Promise<Answer> =>
  scene.client.post(path, body, { 'if-match': tag });

const tagOf = async (path: string): Promise<string> => (await scene.client.get(path)).headers.etag!;

const countOf = async (path: string): Promise<number> =>
  ((await scene.client.get(path)).body as unknown[]).length;

/** Runs `first` when the handler of the next request begins, after the first check of its condition. */
function beforeHandler<K extends string>(
  handlers: Record<K, (...given: never[]) => unknown>,
  name: K,
  first: () => Promise<unknown>,
): void {
  const handle = handlers[name];
  handlers[name] = async function (this: unknown, ...given: never[]) {
    handlers[name] = handle;
    await first();
    return handle.apply(this, given);
  };
}

it.each([
  ['a project', project, () => ProjectsService.prototype, 'createInTeam'],
  ['a member', member, () => MembersService.prototype, 'add'],
] as const)('%s is not added to a list that another request has changed', async (_, made, of, name) => {
  const creation = made();
  const tag = await tagOf(creation.path);
  const before = await countOf(creation.path);
  let other: Answer | null = null;
  beforeHandler(of() as never, name, async () => (other = await create(made(), tag)));
  const answer = await create(creation, tag);
  expect([other!, answer].map(({ status }: Answer) => status)).toEqual([201, 412]);
  expect(answer.body).toEqual({ message: 'Precondition Failed', code: 'PRECONDITION_FAILED' });
  expect(await countOf(creation.path)).toBe(before + 1);
  expect((await create(made(), await tagOf(creation.path))).status).toBe(201);
});

it.each([
  ['a goal', inProject('goals', { name: 'Sale' }), () => ProjectItems.prototype],
  ['an experiment', inProject('experiments', { name: 'Button' }), () => ExperimentsService.prototype],
] as const)('%s is not added to a project that another request has changed', async (_, made, of) => {
  const creation = made();
  const tag = await tagOf(scene.project);
  const before = await countOf(creation.path);
  const change = () => scene.client.patch(scene.project, { description: randomUUID() });
  beforeHandler(of() as never, 'create', change);
  expect((await create(creation, tag)).status).toBe(412);
  expect(await countOf(creation.path)).toBe(before);
  expect((await create(creation, await tagOf(scene.project))).status).toBe(201);
});
