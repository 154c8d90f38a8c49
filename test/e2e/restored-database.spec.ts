import type { SkipReport } from '../../src/database/skipped-numbers';
import { RESOURCES } from '../../src/resources/registry';
import { AdminCommand } from '../support/admin';
import { TestApi } from '../support/api';
import type { Client } from '../support/client';
import { createTestDatabase, TestDatabase } from '../support/engine';
import { Made, Maker } from '../support/scene';
import { contentsOf, createMigratedDatabase } from '../support/template';

/*
 * A server restored from a backup must not reuse numbers that it assigned after the backup: browsers, SDKs and scripts
 * still have them.
 */

const LISTS = ['experiments', 'webhooks', ...RESOURCES.map(({ path }) => path)];
const SKIPPED = 1_000_000;

/** What clients know of a server. */
interface Known {
  experiment: Made;
  goal: Made;
  etags: string[];
  revisions: number[];
  bucketing: Record<string, number>;
}

describe('a restored database', () => {
  const stores: TestDatabase[] = [];
  let api: TestApi;
  let token: string;
  let project: string;
  let unpublished: string;
  let key: string;
  let lost: Known;
  let found: Known;
  let previewed: number[];

  const client = (): Client => api.as(token);
  async function start(store: TestDatabase): Promise<void> {
    stores.push(store);
    api = await TestApi.start({}, undefined, () =>
      Promise.resolve({ ...store, remove: () => Promise.resolve() }),
    );
  }

  /** Creates records, publishes, and reads everything that has a version. */
  async function use(user: object): Promise<Known> {
    const make = new Maker(client(), project);
    const experiment = await make.withStatus('running');
    const goal = await make.goal();
    await make.audience();
    await make.of('exclusion-groups');
    await make.of('webhooks', { url: 'https://example.com/hook', events: ['project.published'] });
    await new Maker(client(), unpublished).withStatus('running');
    await client().patch(project, { description: `After ${experiment.id}` });
    const paths = ['', '/definition', ...LISTS.map((list) => `/${list}`)];
    const answers = await Promise.all(
      [...paths.map((path) => project + path), '/teams'].map((path) => client().get(path)),
    );
    const shown = await Promise.all([project, unpublished].map((path) => client().get(path)));
    const authorization = `Bearer ${key}`;
    const { body } = await api.as(null).post('//v1/decide', { user }, { authorization });
    return {
      experiment,
      goal,
      etags: answers.flatMap<string>(({ headers }) => headers.etag ?? []),
      revisions: shown.map((answer) => answer.body.snippet_revision as number),
      bucketing: body.user.bucketing,
    };
  }

  let kept: Made;

  beforeAll(async () => {
    await start(await createMigratedDatabase());
    const world = await api.world();
    ({ token } = world.people.admin);
    ({ project } = world);
    unpublished = `/projects/${await api.project(world.teamId, 'Unpublished')}`;
    key = (await client().get(project)).body.client_key as string;
    kept = await new Maker(client(), project).withStatus('running');
    const backup = await contentsOf(stores[0].url);
    lost = await use({ id: 'before' });
    await api.close();
    const restored = await createTestDatabase(backup);
    const admin = new AdminCommand(restored.url);
    const report = (await admin.json(['db:after-restore'])) as SkipReport;
    const { next_ids: ids, skipped, versions } = report;
    expect([ids.experiments, ids.goals]).toEqual([kept.id + 1 + skipped, expect.any(Number)]);
    expect(skipped).toBeGreaterThanOrEqual(SKIPPED);
    const { stdout } = await admin.run(['db:after-restore']);
    const [, again] = /^Skipped ([\d,]+) numbers each/.exec(stdout) ?? [];
    const next = kept.id + 1 + skipped + Number(again?.replaceAll(',', ''));
    expect(stdout).toBe(
      `Skipped ${again} numbers each, so that numbers assigned after the backup are not reused:\n  ids in ${Object.keys(ids).length} tables; the next experiment gets the id ${next}\n  versions in ${Object.keys(versions).length} tables\n  revision numbers of 2 project(s)\n`,
    );
    admin.remove();
    await start(restored);
    const paths = [project, unpublished].map((path) => `${path}/publications/preview`);
    const previews = await Promise.all(paths.map((path) => client().get(path)));
    previewed = previews.map(({ body }) => body.revision as number);
    found = await use({ id: 'before', bucketing: lost.bucketing });
  });

  afterAll(async () => {
    await api.close();
    await Promise.all(stores.map((store) => store.remove()));
  });

  it('gives new records other ids, also in tables without rows, so that kept assignments do not apply', async () => {
    const ids = [found.experiment, ...(found.experiment.variations as Made[]), found.goal].map(
      ({ id }) => id,
    );
    expect(Math.min(...ids)).toBeGreaterThan(2 * SKIPPED);
    expect(lost.bucketing[lost.experiment.id]).toBeDefined();
    expect(found.bucketing[kept.id]).toBe(lost.bucketing[kept.id]);
    const variations = (found.experiment.variations as Made[]).map(({ id }) => id);
    expect(variations).toContain(found.bucketing[found.experiment.id]);
    const {
      id,
      variations: [, { id: variation }],
    } = lost.experiment as Made & { variations: Made[] };
    const late = { type: 'track', event: 'Experiment Viewed', anonymousId: 'late', messageId: 'late' };
    const sent = { ...late, properties: { experiment_id: id, variation_id: variation } };
    const { body } = await api.as(null).post('//v1/batch?strict=1', { writeKey: key, batch: [sent] });
    expect(body.errors).toMatchObject([{ reason: 'unknown_experiment' }]);
  });

  it('does not repeat ETags', () => {
    expect(lost.etags.length).toBe(LISTS.length + 3);
    expect(found.etags.filter((etag) => lost.etags.includes(etag))).toEqual([]);
  });

  it('does not repeat revision numbers, also of projects without a revision', async () => {
    expect(lost.revisions[1]).toBe(1);
    expect(found.revisions.map((revision) => revision > 2 * SKIPPED)).toEqual([true, true]);
    const { body } = await client().get(`${project}/publications`);
    expect((body as Made[]).map(({ revision }) => revision)).toEqual([found.revisions[0], 1]);
    expect((body as Made[])[0].changes).toMatchObject([{ experiment_id: found.experiment.id }]);
  });

  it('previews the number of the next revision, or of the live one if nothing has changed', () => {
    expect(previewed).toEqual([1, found.revisions[1]]);
  });

  it('has no script for the skipped and lost revision numbers', async () => {
    const statuses = async (): Promise<number[]> => {
      const answers = [1, 2, 3, found.revisions[0]].map((number) =>
        api.as(null).get(`//s/${key}/${number}.js`),
      );
      return (await Promise.all(answers)).map(({ status }) => status);
    };
    expect(await statuses()).toEqual([200, 404, 404, 200]);
    expect(await statuses()).toEqual([200, 404, 404, 200]);
  });

  it('is refused while a server uses it, or if it is empty', async () => {
    const admin = new AdminCommand(stores[1].url);
    const used = await admin.run(['db:after-restore']);
    expect([used.code, used.stdout, used.stderr]).toEqual([
      1,
      '',
      expect.stringContaining('Stop all servers'),
    ]);
    admin.remove();
    const empty = await createTestDatabase();
    stores.push(empty);
    const other = new AdminCommand(empty.url);
    const refused = await other.run(['db:after-restore']);
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringMatching(/^The database .* (is empty|is not a Gosset database)\.\n$/),
    ]);
    other.remove();
  });
});
