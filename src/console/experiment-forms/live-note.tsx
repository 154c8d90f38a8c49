import type { ExperimentSubject } from '../experiment-subject';

/** When changes of a running experiment reach its visitors. */
export function LiveNote({ experiment }: Pick<ExperimentSubject, 'experiment'>) {
  return experiment.status === 'running' ? (
    <p>The experiment is running. Changes go live when the project is published.</p>
  ) : null;
}
