import type { CellAddress, CellSums, Contribution } from './attribution';

export type CellChange = CellAddress & CellSums;

const addressOf = (cell: CellAddress): string =>
  `${cell.experiment_id}:${cell.goal_id}:${cell.variation_id}:${cell.device}:${cell.entry_day}:${cell.event_day}`;

/** Sums up by how much cells change. */
export class CellChanges {
  private readonly changes = new Map<string, CellChange>();

  add(contribution: Contribution): void {
    this.count(contribution, 1);
  }

  subtract(contribution: Contribution): void {
    this.count(contribution, -1);
  }

  /** The cells that do change, in the order of their key, so that transactions lock them in one order. */
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
    sum.participants += sign * contribution.participants;
    sum.converters += sign * contribution.converters;
    sum.conversions += sign * contribution.conversions;
    sum.value += BigInt(sign) * contribution.value;
    sum.value_squared += BigInt(sign) * contribution.value_squared;
  }
}

const negated = (contribution: Contribution): CellChange => ({
  ...contribution,
  participants: -contribution.participants,
  converters: -contribution.converters,
  conversions: -contribution.conversions,
  value: -contribution.value,
  value_squared: -contribution.value_squared,
});

const isChange = (sums: CellSums): boolean =>
  sums.participants !== 0 ||
  sums.converters !== 0 ||
  sums.conversions !== 0 ||
  sums.value !== 0n ||
  sums.value_squared !== 0n;

const byAddress = (a: CellAddress, b: CellAddress): number =>
  a.experiment_id - b.experiment_id ||
  a.goal_id - b.goal_id ||
  a.variation_id - b.variation_id ||
  a.device - b.device ||
  a.entry_day - b.entry_day ||
  a.event_day - b.event_day;
