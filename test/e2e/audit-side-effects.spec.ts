import { audit } from '../../src/audit/audit-log';
import type { AuditEntryRecord } from '../../src/audit/history/audit-entry.record';
import { revertsIn } from '../support/reverts';
import { anotherProject, errorsOf, type Made, useScene } from '../support/scene';

/* Audit entries for records that a change to another record changes along with it. */

const scene = useScene();
const { last, revert, shown } = revertsIn(scene);

type Make = Awaited<ReturnType<typeof anotherProject>>;

const entriesSince = async (project: string, { id }: { id: number }): Promise<AuditEntryRecord[]> =>
  (await scene.client.get(`${project}/audit?after_id=${id}`)).body as AuditEntryRecord[];

const brief = ({ action, item_type, item_name, before, after }: AuditEntryRecord) => [
  `${action} ${item_type} ${item_name}`,
  Object.keys(before ?? {}).filter((field) => field !== 'updated_at'),
  Object.keys(after ?? {}).filter((field) => field !== 'updated_at'),
];

/** The entries that the work adds, newest first. */
async function entriesOf(project: string, work: () => Promise<unknown>): Promise<AuditEntryRecord[]> {
  const before = await last(project);
  await work();
  return entriesSince(project, before);
}

const reverted = async (project: string, entry: { id: number }): Promise<void> =>
  expect(await revert(project, entry)).toMatchObject({ status: 200 });

describe('a new default environment', () => {
  const settings = ({ project }: Make, { id }: Made) => `${project}/settings/environments/${id}`;
  const FORMER = ['update environment Production', ['is_default'], ['is_default']];

  const defaults = async ({ project }: Make): Promise<(string | undefined)[]> =>
    ((await scene.client.get(`${project}/environments`)).body as (Made & { is_default: boolean })[])
      .filter(({ is_default }) => is_default)
      .map(({ name }) => name);

  it('has an entry for the former one, and reverting it makes that one the default again', async () => {
    const make = await anotherProject(scene, 'Default');
    const staging = await make.environment({ name: 'Staging' });
    const change = () => scene.client.patch(settings(make, staging), { is_default: true });
    const entries = await entriesOf(make.project, change);
    expect(entries.map(brief)).toEqual([
      ['update environment Staging', ['is_default'], ['is_default']],
      FORMER,
    ]);
    expect(entries[1]).toMatchObject({ before: { is_default: true }, after: { is_default: false } });
    expect(Object.keys(errorsOf(await revert(make.project, entries[0])))).toEqual(['is_default']);
    const undone = await entriesOf(make.project, () => reverted(make.project, entries[1]));
    expect(undone.map(({ action, item_name }) => `${action} ${item_name}`)).toEqual([
      'revert Production',
      'revert Staging',
    ]);
    expect(await defaults(make)).toEqual(['Production']);
  });

  it('that is created has an entry for the former one', async () => {
    const make = await anotherProject(scene, 'Created');
    const entries = await entriesOf(make.project, () => make.environment({ name: 'New', is_default: true }));
    expect(brief(entries[1])).toEqual(FORMER);
    expect(entries.map(({ action }) => action)).toEqual(['create', 'update']);
  });

  it('in a definition has one entry for each of the two', async () => {
    const make = await anotherProject(scene, 'Document');
    await make.environment({ name: 'Staging', api_name: 'staging' });
    const environments = [
      { api_name: 'production', is_default: false },
      { api_name: 'staging', is_default: true },
    ];
    const entries = await entriesOf(make.project, () =>
      scene.client.put(`${make.project}/definition`, { environments }),
    );
    expect(entries.map(({ item_name }) => item_name)).toEqual(['Staging', 'Production']);
  });
});

describe('a new original', () => {
  const FORMER = ['update variation A', ['is_original'], ['is_original']];

  it('has an entry for the former one, and reverting it makes that one the original again', async () => {
    const make = await anotherProject(scene, 'Original');
    const experiment = await make.experiment({ variations: [{ name: 'A' }, { name: 'B' }] });
    const { id } = experiment.variations[1];
    const change = () => scene.client.patch(`${experiment.path}/variations/${id}`, { is_original: true });
    const entries = await entriesOf(make.project, change);
    expect(entries.map(brief)).toEqual([['update variation B', ['is_original'], ['is_original']], FORMER]);
    expect(Object.keys(errorsOf(await revert(make.project, entries[0])))).toEqual(['is_original']);
    await reverted(make.project, entries[1]);
    expect((await shown(experiment)).variations).toMatchObject([
      { name: 'A', is_original: true },
      { name: 'B', is_original: false },
    ]);
  });

  it('that is created has an entry for the former one', async () => {
    const make = await anotherProject(scene, 'New original');
    const experiment = await make.experiment({ variations: [{ name: 'A' }] });
    const entries = await entriesOf(make.project, () =>
      make.variation(experiment, { name: 'New', is_original: true }),
    );
    expect(brief(entries[1])).toEqual(FORMER);
  });

  it('in a definition has one entry for each of the two', async () => {
    const make = await anotherProject(scene, 'Document');
    const { api_name } = await make.experiment({ variations: [{ name: 'A' }, { name: 'B' }] });
    const variations = [
      { api_name: 'a', is_original: false },
      { api_name: 'b', is_original: true },
    ];
    const entries = await entriesOf(make.project, () =>
      scene.client.put(`${make.project}/definition`, { experiments: [{ api_name, variations }] }),
    );
    expect(entries.map(({ item_type, item_name }) => [item_type, item_name])).toEqual([
      ['variation', 'B'],
      ['variation', 'A'],
    ]);
  });
});

describe('deleting an attached record', () => {
  it.each(['audience', 'page', 'goal', 'guardrail', 'environment'] as const)(
    'has an entry for each experiment, which can be reverted once the %s is restored',
    async (kind) => {
      const make = await anotherProject(scene, kind);
      const field = `${kind}s`;
      const [gone, kept] = await Promise.all(
        ['Gone', 'Kept'].map((name) => make[kind === 'guardrail' ? 'goal' : kind]({ name })),
      );
      const experiment = await make.experiment({ name: 'Using', [field]: [gone.id, kept.id] });
      const trashed = await make.experiment({ name: 'Trashed', [field]: [gone.id] });
      await make.experiment({ name: 'Other', [field]: [kept.id] });
      await scene.client.delete(trashed.path);
      const deletion = await last(make.project);
      const before = await shown(experiment);
      const path = kind === 'environment' ? `${make.project}/settings/environments/${gone.id}` : gone.path;
      const entries = await entriesOf(make.project, () => scene.client.delete(path));
      expect(entries.map(({ action, item_name }) => `${action} ${item_name}`)).toEqual([
        'delete Gone',
        'update Using',
      ]);
      expect(brief(entries[1])).toEqual(['update experiment Using', [field], [field]]);
      expect(entries[1]).toMatchObject({
        before: { [field]: before[field] },
        after: { [field]: [{ id: kept.id }] },
      });
      expect(Object.keys(errorsOf(await revert(make.project, entries[1])))).toEqual([`${field}.0`]);
      await reverted(make.project, entries[0]);
      await reverted(make.project, entries[1]);
      expect(await shown(experiment)).toEqual(before);
      await reverted(make.project, deletion);
    },
  );

  it('with a definition has one entry for each experiment', async () => {
    const make = await anotherProject(scene, 'Pruned');
    const [gone, kept] = [
      await make.page({ name: 'Gone' }),
      await make.page({ name: 'Kept', api_name: 'kept' }),
    ];
    const fields = { pages: [gone.id, kept.id] };
    const used = await make.experiment({ name: 'Used', ...fields });
    const archived = await make.experiment({ name: 'Archived', ...fields });
    await scene.client.patch(`${archived.path}/status`, { status: 'archive' });
    const document = {
      pages: [{ api_name: 'kept' }],
      experiments: [used, archived].map(({ api_name }) => ({ api_name, pages: ['kept'] })),
    };
    const entries = await entriesOf(make.project, async () => {
      const { status } = await scene.client.put(`${make.project}/definition?prune=1`, document);
      expect(status).toBe(200);
    });
    expect(entries.map(({ action, item_name }) => `${action} ${item_name}`)).toEqual([
      'delete Gone',
      'update Archived',
      'update Used',
    ]);
  });

  // SQLite limits the number of parameters; MariaDB limits the length of a statement, by default to 16 MiB.
  it.each([
    [3_000, {}],
    [1_000, { goals: Array.from({ length: 200 }, (_, id) => ({ id, name: 'x'.repeat(100) })) }],
  ])('may have more entries than fit into one statement (%d)', async (length, after) => {
    const { project } = await anotherProject(scene, `Many ${length}`);
    const projectId = Number(project.split('/').pop());
    const notes = Array.from({ length }, (_, index) => ({
      action: 'update' as const,
      itemType: 'experiment',
      itemId: index + 1,
      before: {},
      after,
    }));
    const entries = await entriesOf(project, () =>
      scene.api.database.transaction((tx) => audit(tx, 'server', projectId, notes)),
    );
    expect(entries[0].item_id).toBe(length);
  });

  it('takes archived experiments out of an exclusion group, with an entry for each', async () => {
    const make = await anotherProject(scene, 'Group');
    const group = await make.of('exclusion-groups', { name: 'Group' });
    const experiment = await make.experiment({ name: 'Member', exclusion_group_id: group.id });
    await scene.client.patch(`${experiment.path}/status`, { status: 'archive' });
    const entries = await entriesOf(make.project, () => scene.client.delete(group.path));
    expect(entries.map(brief).slice(1)).toEqual([
      ['update experiment Member', ['exclusion_group_id'], ['exclusion_group_id']],
    ]);
  });
});
