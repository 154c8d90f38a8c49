import { DAY_MICROS } from '../../src/common/time/clock';
import { Cells, dayNumber } from './cells';
import type { Made, Maker, Scene } from './scene';

/* Creates experiments with a plan that ran in the past. */

export const DAYS = ['2026-05-01', '2026-05-02', '2026-05-03', '2026-05-04', '2026-05-05'];

export interface PlannedRun {
  plan?: object;
  /** Cumulative converters of the variation at the end of each day. The original has 100 new converters per day. */
  converters?: readonly number[];
}

/** Creates an experiment that ran for five days, with 1,000 new participants per variation and day. */
export async function plannedRun(
  scene: Pick<Scene, 'api'>,
  make: Maker,
  { plan = { planned_participants: 10_000 }, converters = [115, 235, 355, 466, 500] }: PlannedRun,
): Promise<Made> {
  const experiment = await make.ready(plan);
  await make.move(experiment, 'running');
  await make.move(experiment, 'pause');
  const [first, last] = [dayNumber(DAYS[0]), dayNumber(DAYS[4])];
  await scene.api.database.transaction((tx) =>
    tx.query('UPDATE experiment_runs SET started_at = ?, ended_at = ? WHERE experiment_id = ?', [
      first * DAY_MICROS,
      last * DAY_MICROS + DAY_MICROS / 2,
      experiment.id,
    ]),
  );
  const cells = new Cells(scene.api, experiment.id);
  const [{ id: goal }] = experiment.goals;
  const [original, variation] = experiment.variations.map(({ id }: Made) => id) as number[];
  DAYS.forEach((day, index) => {
    const converted = converters[index] - (converters[index - 1] ?? 0);
    cells
      .entered({ variation: original, day }, 1_000)
      .entered({ variation, day }, 1_000)
      .converted(goal, { variation: original, day }, { converters: 100 })
      .converted(goal, { variation, day }, { converters: converted });
  });
  await cells.store();
  return experiment;
}

/** Sets a column of a plan to a given day. */
export const changePlan = (scene: Scene, experiment: Made, column: string, day: string): Promise<unknown> =>
  scene.api.database.transaction(async (tx) => {
    await tx.query(`UPDATE experiment_plans SET ${column} = ? WHERE experiment_id = ?`, [
      dayNumber(day),
      experiment.id,
    ]);
    await tx.query('UPDATE experiments SET version = version + 1 WHERE id = ?', [experiment.id]);
  });
