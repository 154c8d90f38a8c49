import { EnvironmentsService } from '../../src/resources/environments/environments.service';
import { ProjectsService } from '../../src/projects/projects.service';
import { TeamsService } from '../../src/teams/teams.service';
import { TrashService } from '../../src/projects/trash/trash.service';
import { WRITABLE } from '../support/resources';
import { useScene } from '../support/scene';
import { addressesOf, look, setStage, Stage, View } from '../support/stage';

/* The ETags that each write changes. All other ETags must stay the same. */

const scene = useScene();

const service = <T>(type: new (...values: never[]) => T): T => scene.api.app.get(type, { strict: false });

const LISTS = ['experiments', 'experiments?fields'];
/** The routes that return an experiment. The list of its variations has the same ETag. */
const SHOWN = [...LISTS, 'experiment', 'experiment?fields', 'variations'];
const OTHER = [...LISTS, 'other experiment', 'other variations'];

type Write = (stage: Stage) => Promise<unknown>;

const changes: [what: string, write: Write, changed: string[]][] = [
  ...WRITABLE.flatMap(({ type, path }): [string, Write, string[]][] => [
    [`creating a record of ${path}`, ({ make }) => make.of(path), [path]],
    [
      `renaming a ${type} that is attached nowhere`,
      ({ client, spare }) => client.patch(spare[type].path, { name: 'New' }),
      [path, `spare ${type}`],
    ],
    [
      `deleting a ${type} that is attached nowhere`,
      ({ client, spare }) => client.delete(spare[type].path),
      [path, `spare ${type}`],
    ],
  ]),
  ['creating an experiment', ({ make }) => make.experiment(), LISTS],
  ['cloning', ({ client, experiment }) => client.post(`${experiment.path}/clone`), LISTS],
  [
    'rotating the preview links',
    ({ client, experiment }) => client.post(`${experiment.path}/previews/rotate`),
    [...SHOWN, 'variation'],
  ],
  [
    'rotating the share link',
    ({ client, experiment }) => client.post(`${experiment.path}/results/share/rotate`),
    SHOWN,
  ],
  [
    'turning the share link off',
    ({ client, experiment }) => client.patch(experiment.path, { shared: false }),
    SHOWN,
  ],
  ['creating a variation', ({ make, experiment }) => make.variation(experiment), SHOWN],

  ...(['audience', 'page', 'goal'] as const).flatMap((kind): [string, Write, string[]][] => [
    [
      `renaming an attached ${kind}`,
      ({ client, ...stage }) => client.patch(stage[kind].path, { name: 'New' }),
      [`${kind}s`, kind, ...SHOWN],
    ],
    [
      `describing an attached ${kind}`,
      ({ client, ...stage }) => client.patch(stage[kind].path, { description: 'New' }),
      [`${kind}s`, kind],
    ],
    [
      `deleting an attached ${kind}`,
      ({ client, ...stage }) => client.delete(stage[kind].path),
      [`${kind}s`, kind, ...SHOWN],
    ],
    [
      `attaching another ${kind}`,
      ({ client, experiment, spare }) => client.patch(experiment.path, { [`${kind}s`]: [spare[kind].id] }),
      SHOWN,
    ],
    [
      `detaching a ${kind}`,
      ({ client, experiment }) => client.patch(experiment.path, { [`${kind}s`]: [] }),
      SHOWN,
    ],
  ]),
  [
    'changing the api_name of an attached goal',
    ({ client, goal }) => client.patch(goal.path, { api_name: 'new' }),
    ['goals', 'goal', ...SHOWN],
  ],
  [
    'changing the type of an attached goal',
    ({ client, goal }) => client.patch(goal.path, { type: 'click', selector: 'a' }),
    ['goals', 'goal', ...SHOWN],
  ],
  [
    'changing the api_name of an attached page',
    ({ client, page }) => client.patch(page.path, { api_name: 'new' }),
    ['pages', 'page'],
  ],

  ['updating an experiment', ({ client, experiment }) => client.put(experiment.path, { js: 'f()' }), SHOWN],
  ['renaming an experiment', ({ client, experiment }) => client.put(experiment.path, { name: 'New' }), SHOWN],
  [
    'changing the example_url',
    ({ client, experiment }) => client.put(experiment.path, { example_url: 'https://new.example.com/' }),
    [...SHOWN, 'variation'],
  ],
  ['previewing an experiment', ({ make, experiment }) => make.move(experiment, 'preview'), SHOWN],
  [
    // The experiment is published immediately, and the project shows the number of publications.
    'starting an experiment',
    ({ make, experiment }) => make.move(experiment, 'running'),
    [...SHOWN, 'project', 'projects'],
  ],
  [
    'publishing',
    ({ client, experiment }) => client.patch(`${experiment.path}/publish`),
    ['project', 'projects'],
  ],
  [
    'deleting an experiment',
    ({ client, experiment }) => client.delete(experiment.path),
    [...SHOWN, 'variation'],
  ],
  [
    'updating a variation',
    ({ client, variation }) => client.patch(variation.path, { name: 'New' }),
    [...SHOWN, 'variation'],
  ],
  [
    'making another variation the original',
    ({ client, otherVariation }) => client.patch(otherVariation.path, { is_original: true }),
    [...OTHER, 'other variation'],
  ],
  [
    'replacing a variation as the original',
    async ({ client, make, variation, experiment }) => {
      await client.patch(variation.path, { is_original: true });
      await make.variation(experiment, { is_original: true });
    },
    [...SHOWN, 'variation'],
  ],
  ['deleting a variation', ({ client, variation }) => client.delete(variation.path), [...SHOWN, 'variation']],

  [
    'renaming an attached environment',
    ({ projectId }) =>
      service(EnvironmentsService).update(projectId, 'Production', { name: 'Live' }, 'admin'),
    ['environments', 'environment', ...SHOWN, 'other experiment', 'other variations'],
  ],
  [
    'changing the code of an attached environment',
    ({ projectId }) =>
      service(EnvironmentsService).update(projectId, 'Production', { code: 'return 1' }, 'admin'),
    ['environments', 'environment'],
  ],
  [
    'creating an environment',
    ({ projectId }) =>
      service(EnvironmentsService).create(
        projectId,
        { name: 'Test', code: 'return 1', is_default: false },
        'admin',
      ),
    ['environments'],
  ],
  [
    'making another environment the default',
    ({ projectId }) =>
      service(EnvironmentsService).create(
        projectId,
        { name: 'Test', code: 'return 1', is_default: true },
        'admin',
      ),
    ['environments', 'environment'],
  ],

  [
    'updating the project',
    ({ client, make }) => client.put(make.project, { min_runtime_days: 3 }),
    ['projects', 'project'],
  ],
  [
    'changing the statistical method',
    ({ projectId }) =>
      service(ProjectsService).setMethod(projectId, { statistics_method: 'bayesian' }, 'admin'),
    ['projects', 'project'],
  ],
  ['creating a project', () => scene.api.project(scene.world.teamId), ['projects']],
  [
    'joining a team',
    async () =>
      service(TeamsService).addMember(await scene.api.team(), scene.world.people.admin.id, 'viewer', 'admin'),
    ['teams'],
  ],
];

describe('a write changes exactly the listed ETags:', () => {
  it.each(changes)('%s', async (_, write, changed) => {
    const stage = await setStage(scene);
    const before = await look(stage);
    await write(stage);
    const after = await look(stage);
    const names = Object.keys(before);
    const other = (key: keyof View) => names.filter((name) => before[name][key] !== after[name][key]);
    expect(other('tag').sort()).toEqual([...changed].sort());
    expect(changed).toEqual(expect.arrayContaining(other('text')));
  });
});

const nothings: [what: string, write: Write][] = [
  ['an empty update', ({ client, experiment }) => client.patch(experiment.path, {})],
  [
    'a PUT of the body of a GET',
    async ({ client, ...stage }) => {
      for (const { path } of [stage.experiment, stage.variation, stage.audience, stage.page, stage.goal]) {
        expect((await client.put(path, (await client.get(path)).body)).status).toBe(200);
      }
      const { project } = stage.make;
      expect((await client.put(project, (await client.get(project)).body)).status).toBe(200);
    },
  ],
  ['a rejected update', ({ client, goal }) => client.patch(goal.path, { name: 'New', type: 'nothing' })],
  [
    'a rejected status change',
    ({ client, experiment }) => client.patch(`${experiment.path}/status`, { status: 'pause' }),
  ],
  [
    'a change to the same status',
    ({ client, experiment }) => client.patch(`${experiment.path}/status`, { status: 'draft' }),
  ],
  [
    'a find-by-name request',
    ({ client, make }) => client.post(`${make.project}/goals/find-by-name`, { name: 'Goal' }),
  ],
  [
    'a create request that is rejected',
    ({ client, make }) => client.post(`${make.project}/goals`, { name: '' }),
  ],
  [
    'a deletion that is rejected',
    async ({ client, experiment, variation }) => {
      await client.delete(`${experiment.path}/variations/${experiment.variations[0].id}`);
      await client.delete(variation.path, { 'if-match': '"other"' });
    },
  ],
  ['a write in another project', () => scene.other.make.ready()],
  [
    'a change of the role in the team',
    async () => {
      const teamId = await scene.api.team();
      await scene.api.join(teamId, scene.world.people.viewer, 'viewer');
      const { client, id } = scene.world.people.viewer;
      const { etag } = (await client.get('/teams')).headers;
      await service(TeamsService).setRole(teamId, id, 'admin', 'admin');
      expect((await client.get('/teams')).headers.etag).toBe(etag);
    },
  ],
  [
    'an environment update without changes',
    ({ projectId }) =>
      service(EnvironmentsService).update(projectId, 'Production', { name: 'Production' }, 'admin'),
  ],
];

describe('all ETags stay the same after', () => {
  it.each(nothings)('%s', async (_, write) => {
    const stage = await setStage(scene);
    const before = await look(stage);
    await write(stage);
    expect(await look(stage)).toEqual(before);
  });
});

describe('a record restored from the trash', () => {
  it.each(['experiment', 'project'] as const)('has a new ETag: %s', async (type) => {
    const stage = await setStage(scene);
    const address = type === 'project' ? stage.make.project : stage.experiment.path;
    const id = type === 'project' ? stage.projectId : stage.experiment.id;
    const list = type === 'project' ? addressesOf(stage).projects : addressesOf(stage).experiments;
    const before = [await stage.client.get(address), await stage.client.get(list)];
    await stage.client.delete(address);
    const between = await stage.client.get(list);
    expect(await service(TrashService).restore({ type, id }, 'admin')).toBeNull();
    const after = [await stage.client.get(address), await stage.client.get(list)];
    expect(after[0].body.updated_at).not.toBe(before[0].body.updated_at);
    expect(after[0].headers.etag).not.toBe(before[0].headers.etag);
    expect(new Set([before[1], between, after[1]].map(({ headers }) => headers.etag)).size).toBe(3);
  });

  it('never shares its ETag with a record created after the deletion', async () => {
    const stage = await setStage(scene);
    const first = await stage.make.goal();
    const { etag } = (await stage.client.get(first.path)).headers;
    await stage.client.delete(first.path);
    const second = await stage.make.goal();
    expect((await stage.client.get(second.path)).headers.etag).not.toBe(etag);
  });
});
