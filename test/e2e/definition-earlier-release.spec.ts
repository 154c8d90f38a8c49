import { DefinitionStage, fill } from '../support/definition';
import { errorsOf, refusedPaths, useScene } from '../support/scene';

describe('the definition of a project that an earlier release has stored', () => {
  const scene = useScene();
  const stage = new DefinitionStage(scene);
  beforeEach(() => stage.begin());

  it('keeps more than 100 variations, but accepts no more and no clones', async () => {
    const { make, path } = stage;
    const named = (prefix: string, count: number): object[] =>
      Array.from({ length: count }, (_, index) => ({ name: `${prefix}${index}` }));
    const full = await make.experiment({ name: 'A', variations: named('a', 100) });
    const more = await make.experiment({ name: 'B', variations: named('b', 3) });
    await scene.api.database.transaction((tx) =>
      tx.query('UPDATE variations SET experiment_id = ?, is_original = 0 WHERE experiment_id = ?', [
        full.id,
        more.id,
      ]),
    );
    const { body } = await scene.client.get(path);
    expect(body.experiments[0].variations).toHaveLength(103);
    expect((await scene.client.put(path, body)).body).toEqual({ changes: [] });
    const [experiment] = body.experiments;
    const withOne = (variations: object[]): object => ({ experiments: [{ ...experiment, variations }] });
    const added = [...experiment.variations, { api_name: 'new', name: 'New' }];
    expect(errorsOf(await scene.client.put(path, withOne(added)))).toEqual({
      'experiments.0.variations': ['It may have at most 103 entries.'],
    });
    expect(refusedPaths(await scene.client.put(path, withOne(added.slice(1))))).toEqual([
      'experiments.0.variations.102.variations',
    ]);
    expect(errorsOf(await scene.client.post(`${full.path}/clone`))).toEqual({
      variations: ['An experiment can have at most 100 variations.'],
    });
  });

  it('keeps invalid values, which are not reported with other errors', async () => {
    await fill(stage.make);
    const projectId = stage.make.projectId;
    await scene.api.database.transaction(async (tx) => {
      await tx.query("UPDATE goals SET name = '\u200b' WHERE project_id = ?", [projectId]);
      await tx.query("UPDATE experiments SET js = '}' WHERE project_id = ?", [projectId]);
      await tx.query(
        "UPDATE variations SET css = '}' WHERE experiment_id IN (SELECT id FROM experiments WHERE project_id = ?)",
        [projectId],
      );
    });
    const document = await stage.show();
    document.goal = [];
    document.goals[1].value_cap = -1;
    document.experiments[0].variations[1].js = '}';
    const errors = errorsOf(await stage.put(document));
    expect(Object.keys(errors).sort()).toEqual([
      'experiments.0.variations.1.js',
      'goal',
      'goals.1.value_cap',
    ]);
  });
});
