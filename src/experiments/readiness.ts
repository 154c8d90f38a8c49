import { Failures } from '../common/validation/failures';
import { sharesAreComplete, sumOfShares } from './variations/variation-shares';
import type { ExperimentRecord } from './experiment.record';

/** The parts that an experiment still lacks for a preview or start. */
export function readinessFailures({ variations, pages, goals }: ExperimentRecord): Failures {
  const failures = new Failures();
  const shares = variations.map((variation) => variation.traffic_allocation);
  if (variations.length === 0) {
    failures.add('variations', 'The experiment needs at least one variation.', 'EXPERIMENT_NOT_READY');
  } else if (!sharesAreComplete(shares)) {
    failures.add(
      'variations',
      `The traffic allocations of the variations sum to ${sumOfShares(shares)}, not 100.`,
      'EXPERIMENT_NOT_READY',
    );
  }
  if (pages.length === 0) {
    failures.add('pages', 'The experiment needs at least one page.', 'EXPERIMENT_NOT_READY');
  }
  if (goals.length === 0) {
    failures.add('goals', 'The experiment needs at least one goal.', 'EXPERIMENT_NOT_READY');
  }
  return failures;
}
