import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { growthBookExperiment } from '../support/growthbook-export';
import { type ImportReport, useImports } from '../support/imported-definitions';

/* `project:import` of records whose names give the same api_name, such as all names without Latin letters or digits. */

const stage = useImports();

const NONE = { audiences: [], goals: [], exclusion_groups: [], experiments: [] };

const importing = (project: number, body: object): Promise<ImportReport> => {
  const file = join(stage.admin.folder, 'names.json');
  writeFileSync(file, JSON.stringify(body));
  return stage.run('growthbook', [file], '--project', String(project));
};

/** Metrics, and an experiment with the last one as its goal. */
const withMetrics = (...names: string[]): object => {
  const metrics = names.map((name, id) => ({ id: `met_${id}`, name, type: 'binomial' }));
  const settings = { goals: [{ metricId: `met_${names.length - 1}` }] };
  return { metrics, experiments: [growthBookExperiment({ settings })] };
};

/** A feature with an experiment in each namespace. */
const withNamespaces = (...names: string[]): object => {
  const rules = (name: string): object[] => [
    { key: `test-${name.length}`, variations: ['a', 'b'], namespace: [name, 0, 0.5] },
  ];
  return {
    features: Object.fromEntries(
      names.map((name) => [`feature-${name.length}`, { defaultValue: 'a', rules: rules(name) }]),
    ),
  };
};

describe('imported goals', () => {
  it('do not use an existing goal with a different name', async () => {
    const project = await stage.api.project(stage.world.teamId, 'Other goal');
    await stage.client.post(`/projects/${project}/goals`, { name: '注册' });
    const report = await importing(project, withMetrics('购买'));
    expect([report.created.goals, report.existing.goals, report.not_taken]).toEqual([['goal-2'], [], []]);
    expect(await stage.records(project, 'goals')).toMatchObject([
      { name: '注册', api_name: 'goal' },
      { name: '购买', api_name: 'goal-2' },
    ]);
    expect(await stage.records(project, 'experiments')).toMatchObject([{ goals: [{ name: '购买' }] }]);
  });

  it('are all created, and found again in any order', async () => {
    const project = await stage.api.project(stage.world.teamId, 'Goals twice');
    const report = await importing(project, withMetrics('注册', '购买'));
    expect([report.created.goals, report.not_taken]).toEqual([['goal', 'goal-2'], []]);
    expect(await stage.records(project, 'experiments')).toMatchObject([{ goals: [{ name: '购买' }] }]);
    const again = await importing(project, withMetrics('注册', '购买'));
    expect([again.created, again.existing]).toEqual([NONE, report.created]);
    const reversed = await importing(project, withMetrics('购买', '注册'));
    expect([reversed.created, reversed.existing.goals]).toEqual([NONE, ['goal-2', 'goal']]);
  });
});

describe('imported exclusion groups', () => {
  it('are found by their names, even if the file contains only one of them', async () => {
    const project = await stage.api.project(stage.world.teamId, 'Groups twice');
    const first = await importing(project, withNamespaces('一', '二二'));
    expect(first.created.exclusion_groups).toEqual(['exclusion-group', 'exclusion-group-2']);
    const again = await importing(project, withNamespaces('一', '二二'));
    expect([again.created, again.existing]).toEqual([NONE, first.created]);
    const experiments = await stage.records(project, 'experiments');
    await stage.client.delete(`/projects/${project}/experiments/${Number(experiments[1].id)}`);
    const second = await importing(project, withNamespaces('二二'));
    expect(second.existing.exclusion_groups).toEqual(['exclusion-group-2']);
    const [, created] = await stage.records(project, 'experiments');
    expect(created.exclusion_group_id).toBe(experiments[1].exclusion_group_id);
  });
});
