import { DAY_MS, formatDay } from '../../src/common/time/clock';
import { Cells, today } from './cells';
import type { Scene } from './scene';
import { SharedExperiment, sharedExperiment } from './shared-experiment';

export interface ExperimentSize {
  variations: number;
  goals: number;
  days: number;
}

/**
 * Creates an experiment of the given size with new participants on every day until today. Half of its goals have
 * values.
 */
export async function largeExperiment(scene: Scene, size: ExperimentSize): Promise<SharedExperiment> {
  const goals: number[] = [];
  for (let number = 0; number < size.goals; number += 1) {
    const kind = number % 2 === 0 ? {} : { value_type: 'revenue' };
    goals.push((await scene.make.goal({ name: `Goal number ${number}`, ...kind })).id);
  }
  const variations = Array.from({ length: size.variations }, (_, index) => ({ name: `Variation ${index}` }));
  const experiment = await sharedExperiment(scene, { goals, variations });
  await scene.make.move(experiment, 'running');
  const cells = new Cells(scene.api, experiment.id);
  for (let day = 0; day < size.days; day += 1) {
    const name = formatDay(today() - day);
    for (const [index, { id }] of experiment.variations.entries()) {
      const place = { variation: id as number, day: name };
      cells.entered(place, 200 + ((day * 7 + index * 3) % 23));
      for (const [number, goal] of goals.entries()) {
        const converters = 10 + ((day + index * 3 + number * 5) % 9);
        const value = number % 2 === 0 ? 0n : BigInt(converters) * 450_000n;
        cells.converted(goal, place, { converters, value, valueSquared: value * 500_000n });
      }
    }
  }
  await cells.store();
  return experiment;
}

/** `count` different dates, so that each can be the start of a different date filter. */
export const firstDays = (count: number): string[] =>
  Array.from({ length: count }, (_, index) =>
    new Date((today() - 9_000 - index) * DAY_MS).toISOString().slice(0, 10),
  );
