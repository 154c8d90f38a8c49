import { parseDay } from '../../src/common/time/clock';
import { MAX_VARIATIONS } from '../../src/experiments/variations/variation.record';
import { DefinitionStage, fill } from '../support/definition';
import { errorsOf, useScene } from '../support/scene';

/* eslint-disable @typescript-eslint/no-explicit-any -- tests change documents in any way */

describe('the experiments in a definition', () => {
  const scene = useScene();
  const stage = new DefinitionStage(scene);
  beforeEach(() => stage.begin());

  const variationsNow = async (): Promise<any[]> => (await stage.show()).experiments[0].variations;

  describe('get a new original', () => {
    const share = (api_name: string, traffic_allocation: number | null, is_original = false) => ({
      name: api_name,
      api_name,
      traffic_allocation,
      is_original,
    });

    it.each([
      ['with a share', [share('b', 40), share('c', 60, true)]],
      ['without a share', [share('b', null), share('c', null, true)]],
      ['with further variations', [share('c', 10), share('d', 80, true), share('e', 10)]],
    ])('in place of a deleted one, %s', async (_, wanted) => {
      await stage.make.experiment({ api_name: 'a', variations: [share('a', 60, true), share('b', 40)] });
      const document = { experiments: [{ api_name: 'a', variations: wanted }] };
      await stage.changesOf(document, '?prune=1');
      expect(await variationsNow()).toMatchObject(wanted);
      const exported = (await stage.exported()).text;
      expect(await stage.changesOf(document, '?prune=1')).toEqual([]);
      expect((await stage.exported()).text).toBe(exported);
    });

    it('in place of a deleted one, among as many variations as possible', async () => {
      const all = Array.from({ length: MAX_VARIATIONS }, (_, index) => share(`v${index}`, 1, index === 0));
      await stage.make.experiment({ api_name: 'a', variations: all });
      const wanted = [...all.slice(1), share('new', 1, true)];
      await stage.changesOf({ experiments: [{ api_name: 'a', variations: wanted }] }, '?prune=1');
      expect(await variationsNow()).toMatchObject(wanted);
    });

    it('or none if all variations are deleted', async () => {
      await stage.make.experiment({ variations: [share('a', 60, true), share('b', 40)] });
      await stage.change((document) => (document.experiments[0].variations = []), '?prune=1');
      expect(await variationsNow()).toEqual([]);
    });

    it('unless they have been started', async () => {
      const made = await stage.make.withStatus('running', {
        variations: [share('a', 60, true), share('b', 40)],
      });
      const experiments = [{ api_name: made.api_name, variations: [share('b', 40), share('c', 60, true)] }];
      const before = (await stage.exported()).text;
      const refused = await stage.put({ experiments }, '?prune=1');
      expect([refused.status, Object.keys(refused.body.errors)]).toEqual([
        422,
        expect.arrayContaining(['experiments.0.variations.1.is_original']),
      ]);
      expect((await stage.exported()).text).toBe(before);
    });
  });

  it('are rejected with an error at their list of variations if they would lose a required variation', async () => {
    const experiment = await stage.make.ready({ name: 'Live', variations: [{ name: 'Only' }] });
    await stage.make.move(experiment, 'running');
    const document = await stage.show();
    document.experiments[0].variations = [];
    expect(errorsOf(await stage.put(document, '?prune=1'))).toEqual({
      'experiments.0.variations': ['only: A running experiment cannot lose its last variation.'],
    });
  });

  it('lose deleted records even if they are archived', async () => {
    const audience = await stage.make.audience({ api_name: 'phones' });
    const group = await stage.make.of('exclusion-groups');
    const experiment = await stage.make.ready({ audiences: [audience.id], exclusion_group_id: group.id });
    await stage.make.move(experiment, 'archive');
    const document = await stage.show();
    const [archived] = document.experiments;
    const without = { ...archived, audiences: [], pages: [], goals: [], exclusion_group: null };
    const emptied = { audiences: [], pages: [], goals: [], exclusion_groups: [] };
    await stage.changesOf({ ...document, ...emptied, experiments: [without] }, '?prune=1');
    expect((await stage.show()).experiments).toEqual([without]);
    const renamed = { ...without, name: 'Renamed' };
    expect(errorsOf(await stage.put({ experiments: [renamed] }))).toMatchObject({
      'experiments.0.status': [expect.stringContaining('archived')],
    });
  });

  /** Each document deletes the goal and the group of the experiment, and removes both from it. */
  describe('lose deleted records', () => {
    const unused = async (from: string, to: string): Promise<any> => {
      const group = await stage.make.of('exclusion-groups', { name: 'Checkout' });
      await stage.make.withStatus(from, { name: 'Used', api_name: 'used', exclusion_group_id: group.id });
      const document = await stage.show();
      const [used] = document.experiments;
      Object.assign(used, { status: to, goals: [], exclusion_group: null });
      return { ...document, goals: [], exclusion_groups: [] };
    };

    it.each([
      ['archive', 'draft'],
      ['running', 'archive'],
      ['pause', 'archive'],
    ])('when their status changes from %s to %s', async (from, to) => {
      const document = await unused(from, to);
      await stage.changesOf(document, '?prune=1&status=1');
      expect((await stage.show()).experiments).toEqual(document.experiments);
      expect(await stage.changesOf(document, '?prune=1&status=1')).toEqual([]);
    });

    it('only if they are also archived', async () => {
      const document = await unused('running', 'archive');
      expect(Object.keys(errorsOf(await stage.put(document, '?prune=1')))).toEqual(
        expect.arrayContaining(['experiments.0.goals', 'experiments.0.exclusion_group']),
      );
    });
  });

  it('are rejected if they refer to records that the request deletes, also if the reference is unchanged', async () => {
    await fill(stage.make);
    await stage.make.environment({ name: 'Staging' });
    const document = await stage.show();
    document.experiments[0].environments = ['staging'];
    document.environments.pop();
    Object.assign(document, { audiences: [], pages: [], goals: [document.goals[1]] });
    const deletes = (record: string): string[] => [
      `The prune parameter deletes the ${record}, because the document does not contain it.`,
    ];
    expect(errorsOf(await stage.put(document, '?prune=1'))).toEqual({
      'experiments.0.audiences.0': deletes('audience phones'),
      'experiments.0.pages.0': deletes('page shop'),
      'experiments.0.goals.0': deletes('goal cart-viewed'),
      'experiments.0.environments.0': deletes('environment staging'),
    });
  });

  it('are created without a planned end if it has passed, and the next plan is empty', async () => {
    const { id } = await stage.make.ready({
      name: 'A',
      planned_participants: 1_000,
      planned_end: '2999-01-01',
    });
    await scene.api.database.transaction((tx) =>
      tx.query('UPDATE experiments SET planned_end = ? WHERE id = ?', [parseDay('2026-01-31'), id]),
    );
    const document = await stage.show();
    expect(document.experiments[0].planned_end).toBe('2026-01-31');
    expect(await stage.changesOf(document)).toEqual([]);
    await stage.begin('Second');
    document.experiments[0].status = 'running';
    await stage.changesOf(document, '?status=1');
    expect((await stage.show()).experiments).toMatchObject([
      { planned_participants: 1_000, planned_end: null, status: 'running' },
    ]);
    const exported = (await stage.exported()).text;
    expect(await stage.changesOf(document, '?prune=1&status=1')).toEqual([]);
    expect((await stage.exported()).text).toBe(exported);
  });

  it('keep both limits of a plan after the first start, or neither', async () => {
    const plan = { planned_participants: 1_000, planned_end: '2999-01-01' };
    await stage.make.withStatus('running', { name: 'A', api_name: 'a', ...plan });
    const change = (fields: object) => ({ experiments: [{ api_name: 'a', ...fields }] });
    const refused = await stage.put(change({ ...plan, planned_end: null }));
    expect(Object.keys(errorsOf(refused))).toEqual(['experiments.0.planned_end']);
    expect(refused.body.code).toBe('PLAN_FIXED');
    const removed = { planned_participants: null, planned_end: null };
    await stage.changesOf(change(removed));
    expect((await stage.show()).experiments).toMatchObject([removed]);
  });

  it.each(['2026-02-30', '2026-1-31', 20_260_131])('reject the planned end %p', async (planned_end) => {
    const refused = await stage.put({ experiments: [{ api_name: 'a', name: 'A', planned_end }] });
    expect(Object.keys(errorsOf(refused))).toEqual(['experiments.0.planned_end']);
  });

  it('can get a part of an exclusion group that another experiment in the document releases', async () => {
    const group = await stage.make.of('exclusion-groups', { name: 'Checkout' });
    const member = { exclusion_group_id: group.id, exclusion_share: 100 };
    await stage.make.withStatus('pause', { name: 'B old', api_name: 'b-old', ...member });
    await stage.make.ready({ name: 'A new', api_name: 'a-new', ...member });
    const moves = { experiments: [status('a-new', 'running'), status('b-old', 'archive')] };
    await stage.changesOf(moves, '?status=1');
    expect((await stage.show()).experiments).toMatchObject(moves.experiments);
  });
});

const status = (api_name: string, to: string) => ({ api_name, status: to });
