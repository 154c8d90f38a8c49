import { listed } from '../common/text/strings';
import type { ExperimentResults, ResultFilter } from '../results/experiment-results';
import { isFiltered } from './filter';
import type { ShareModel } from './share-model';

/** The actual and the expected number of participants in a variation. */
export interface DividedVariation {
  id: number;
  name: string;
  participants: number;
  /** As a fraction of all participants in the check. */
  share: number;
  expectedShare: number;
}

/** A failed sample ratio check. */
export interface ShareMismatch {
  /** The participants that were checked. */
  whom: 'all' | 'selected';
  variations: DividedVariation[];
}

/** The results with and without the filter. */
type Shown = Pick<ShareModel, 'results' | 'everybody' | 'filter'>;

/** The fields that the checks need. */
export interface Checked {
  results: Pick<ExperimentResults, 'sampleRatio' | 'hasWindows'>;
  everybody: Pick<ExperimentResults, 'sampleRatio'>;
  filter: ResultFilter;
}

export const MISMATCH_HEADING = 'Do not trust this result';

export const WHOM: Record<ShareMismatch['whom'], string> = {
  all: 'all participants',
  selected: 'the participants selected here',
};

/** The failed checks in words. */
export const mismatchWords = (failed: readonly Pick<ShareMismatch, 'whom'>[]): string =>
  `Sample ratio mismatch: the participants are not split according to the shares. The check fails for ${listed(failed.map(({ whom }) => WHOM[whom]))}.`;

/**
 * The failed checks. Both the filtered participants and all participants are checked, because a filter may leave too
 * few participants to detect a mismatch.
 */
export function failedChecks<C extends Checked>({ results, everybody, filter }: C) {
  const checks: { whom: ShareMismatch['whom']; results: C['results'] | C['everybody'] }[] = [
    { whom: 'all', results: everybody },
    ...(isFiltered(filter, results.hasWindows) ? [{ whom: 'selected' as const, results }] : []),
  ];
  return checks.filter((check) => check.results.sampleRatio.isMismatch);
}

/** The checks that failed, with the shares that made them fail. */
export const shareMismatches = (shown: Shown): ShareMismatch[] =>
  failedChecks(shown).map(({ whom, results }) => ({ whom, variations: divided(results) }));

/** The participants in each variation whose share is not zero. */
function divided({ goals, expectedShares, entered }: ExperimentResults): DividedVariation[] {
  const checked = (goals[0]?.variations ?? [])
    .filter(({ id }) => (expectedShares.get(id) ?? 0) > 0)
    .map(({ id, name }) => ({ id, name, participants: entered.get(id) ?? 0 }));
  const participants = checked.reduce((sum, variation) => sum + variation.participants, 0);
  const expected = checked.reduce((sum, { id }) => sum + (expectedShares.get(id) ?? 0), 0);
  return checked.map((variation) => ({
    ...variation,
    share: participants === 0 ? 0 : variation.participants / participants,
    expectedShare: (expectedShares.get(variation.id) ?? 0) / expected,
  }));
}
