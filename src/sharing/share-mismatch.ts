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

/**
 * The checks that failed. Both are made, because a filter leaves fewer participants, too few perhaps to find what is
 * wrong with all of them.
 */
export function shareMismatches({
  results,
  everybody,
  filter,
  expectedShares,
}: Pick<ShareModel, 'results' | 'everybody' | 'filter' | 'expectedShares'>): ShareMismatch[] {
  const checks = [
    { whom: 'all' as const, results: everybody },
    ...(isFiltered(filter) ? [{ whom: 'selected' as const, results }] : []),
  ];
  return checks
    .filter((check) => check.results.sampleRatio.isMismatch)
    .map((check) => ({ whom: check.whom, variations: divided(check.results, expectedShares) }));
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
