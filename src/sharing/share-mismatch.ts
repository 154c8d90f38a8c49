import { listed } from '../presentation/text/words';
import type { ExperimentResults } from '../results/experiment-results';
import { isFiltered } from './filter-words';
import type { ShareModel } from './share-model';

/** How the participants of a variation compare with those that it should have. */
export interface DividedVariation {
  id: number;
  name: string;
  participants: number;
  /** As a fraction of all. */
  share: number;
  expectedShare: number;
}

/** A check of the shares that failed. */
export interface ShareMismatch {
  /** Whom the check was made for. */
  whom: 'all' | 'selected';
  variations: DividedVariation[];
}

/** What the results show, under a filter and without. */
type Checked = Pick<ShareModel, 'results' | 'everybody' | 'filter'>;

export const MISMATCH_HEADING = 'Do not trust this result';

export const WHOM: Record<ShareMismatch['whom'], string> = {
  all: 'all participants',
  selected: 'the participants selected here',
};

/** What failed, in words. */
export const mismatchWords = (failed: readonly Pick<ShareMismatch, 'whom'>[]): string =>
  `The participants are not divided over the variations as they should be. The check fails for ${listed(failed.map(({ whom }) => WHOM[whom]))}.`;

/**
 * The checks that failed. Both are made, because a filter leaves fewer participants, too few perhaps to find what is
 * wrong with all of them.
 */
export function failedChecks({ results, everybody, filter }: Checked) {
  const checks = [
    { whom: 'all' as const, results: everybody },
    ...(isFiltered(filter) ? [{ whom: 'selected' as const, results }] : []),
  ];
  return checks.filter((check) => check.results.sampleRatio.isMismatch);
}

/** The checks that failed, with the shares that made them fail. */
export function shareMismatches({
  expectedShares,
  ...checked
}: Checked & Pick<ShareModel, 'expectedShares'>): ShareMismatch[] {
  return failedChecks(checked).map(({ whom, results }) => ({
    whom,
    variations: divided(results, expectedShares),
  }));
}

/** As the check sees it: variations that nobody should get to see are left out. */
function divided(
  { goals }: ExperimentResults,
  expectedShares: ReadonlyMap<number, number>,
): DividedVariation[] {
  const checked = (goals[0]?.variations ?? []).filter(({ id }) => (expectedShares.get(id) ?? 0) > 0);
  const participants = checked.reduce((sum, variation) => sum + variation.participants, 0);
  const expected = checked.reduce((sum, { id }) => sum + (expectedShares.get(id) ?? 0), 0);
  return checked.map((variation) => ({
    id: variation.id,
    name: variation.name,
    participants: variation.participants,
    share: participants === 0 ? 0 : variation.participants / participants,
    expectedShare: (expectedShares.get(variation.id) ?? 0) / expected,
  }));
}
