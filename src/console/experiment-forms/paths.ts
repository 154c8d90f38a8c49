import type { ExperimentSubject } from '../experiment-subject';
import { Crumb, experimentPagePath, projectPath } from '../pages/console-page';

type Named = Pick<ExperimentSubject, 'project' | 'experiment'>;

/** The path of the experiment's page. */
export const pagePathOf = ({ project, experiment }: Named): string =>
  experimentPagePath(project.id, experiment.id);

/** The path of the experiment in the API. */
export const apiPathOf = (named: Named): string => `/api${pagePathOf(named)}`;

/** From the project to the experiment. */
export const experimentCrumbs = (named: Named): Crumb[] => [
  { path: projectPath(named.project.id), name: named.project.name },
  { path: pagePathOf(named), name: named.experiment.name },
];

/** The path of the form of a variation. */
export const variationPagePath = (named: Named, variationId: number): string =>
  `${pagePathOf(named)}/variations/${variationId}/edit`;
