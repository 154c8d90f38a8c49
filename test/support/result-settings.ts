import { Cells } from './cells';
import { anotherProject, Made, Maker, Scene } from './scene';

/** The first day of the results. */
export const DAY = '2026-05-01';

/** A project whose experiment has results. */
export interface Setting {
  make: Maker;
  experiment: Made;
  goal: Made;
  spare: Made;
  page: Made;
}

export async function settingIn(scene: Scene): Promise<Setting> {
  const make = await anotherProject(scene);
  const [goal, spare, page] = [await make.goal(), await make.goal(), await make.page()];
  const experiment = await make.ready({ goals: [goal.id], pages: [page.id] });
  await enter(scene, experiment, DAY, 100);
  return { make, experiment, goal, spare, page };
}

/**
 * Adds `participants` to each variation on `day`. A quarter of those in the first variation convert: one on 20 May, the
 * rest on `day`.
 */
export const enter = (scene: Scene, experiment: Made, day: string, participants: number): Promise<void> =>
  new Cells(scene.api, experiment.id)
    .entered({ variation: experiment.variations[0].id, day }, participants)
    .entered({ variation: experiment.variations[1].id, day }, participants)
    .converted(
      experiment.goals[0].id,
      { variation: experiment.variations[0].id, day },
      { converters: participants / 4 - 1 },
    )
    .converted(
      experiment.goals[0].id,
      { variation: experiment.variations[0].id, day: '2026-05-20', entered: day },
      { converters: 1 },
    )
    .store();

/** The paths of the experiment's results. */
export const addressesOf = ({ experiment: { path }, goal: { id } }: Setting): string[] => [
  `${path}/results`,
  `${path}/results?deviceTypes=desktop`,
  `${path}/results/info`,
  `${path}/results/goal/${id}`,
  `${path}/results/goal/${id}/download`,
];
