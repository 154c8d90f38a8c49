import { CellAddress, CellSums, Contribution, COUNTS, EXACT_SUMS } from './attribution';

export type CellChange = CellAddress & CellSums;

const addressOf = (cell: CellAddress): string =>
  `${cell.experiment_id}:${cell.goal_id}:${cell.variation_id}:${cell.phase}:${cell.device}:${cell.entry_day}:${cell.event_day}`;

/** Aggregates cell changes. */
export class CellChanges {
  private readonly changes = new Map<string, CellChange>();

  add(contribution: Contribution): void {
    this.count(contribution, 1);
  }

  subtract(contribution: Contribution): void {
    this.count(contribution, -1);
  }

  /** The cells whose counts change, sorted by key so that all transactions lock them in the same order. */
  list(): CellChange[] {
    return [...this.changes.values()].filter(isChange).sort(byAddress);
  }

  private count(contribution: Contribution, sign: 1 | -1): void {
    const address = addressOf(contribution);
    const sum = this.changes.get(address);
    if (sum === undefined) {
      this.changes.set(address, sign === 1 ? { ...contribution } : negated(contribution));
      return;
    }
    for (const name of COUNTS) {
      sum[name] += sign * contribution[name];
    }
    for (const name of EXACT_SUMS) {
      sum[name] += BigInt(sign) * contribution[name];
    }
  }
}

/**
 * Adds up changes over event days. The sums are sorted by key, and their `event_day` has no meaning.
 * @param changes at most one per cell
 */
export function overEventDays(changes: readonly CellChange[]): CellChange[] {
  const sums = new CellChanges();
  changes.forEach((change) => sums.add({ ...change, event_day: change.entry_day }));
  return sums.list();
}

function negated(contribution: Contribution): CellChange {
  const change = { ...contribution };
  for (const name of COUNTS) {
    change[name] = -contribution[name];
  }
  for (const name of EXACT_SUMS) {
    change[name] = -contribution[name];
  }
  return change;
}

const isChange = (sums: CellSums): boolean =>
  COUNTS.some((name) => sums[name] !== 0) || EXACT_SUMS.some((name) => sums[name] !== 0n);

const byAddress = (a: CellAddress, b: CellAddress): number =>
  a.experiment_id - b.experiment_id ||
  a.goal_id - b.goal_id ||
  a.variation_id - b.variation_id ||
  a.phase - b.phase ||
  a.device - b.device ||
  a.entry_day - b.entry_day ||
  a.event_day - b.event_day;
