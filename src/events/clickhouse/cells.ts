import type { VisitorsChange } from '../attribution-steps';
import { isShorter, joined } from '../visitor-changes';
import type { Span } from '../result-states.store';
import { CellChange, CellChanges } from '../cell-changes';
import type { CellRow } from './attribution-query.store';

export const cellOf = ({ first_at: _first, last_at: _last, ...row }: CellRow): CellChange => ({
  ...row,
  value: BigInt(row.value),
  value_excess: BigInt(row.value_excess),
  value_squared: BigInt(row.value_squared),
  conversions_squared: BigInt(row.conversions_squared),
  value_by_conversions: BigInt(row.value_by_conversions),
});

/**
 * The changes to one experiment's cells, and the time span of its counted events, which the changes can only extend.
 * @param before the current cells of some visitors
 * @param after the new cells of the same visitors
 */
export function changesBetween(
  span: Span,
  before: readonly CellRow[],
  after: readonly CellRow[],
): VisitorsChange {
  const sums = new CellChanges();
  after.forEach((row) => sums.add(cellOf(row)));
  before.forEach((row) => sums.subtract(cellOf(row)));
  const covered = spanOf(after);
  return {
    cells: sums.list(),
    span: joined(span, covered),
    isShorter: isShorter(span, spanOf(before), covered),
  };
}

const spanOf = (rows: readonly CellRow[]): Span =>
  rows
    .map(({ first_at: first, last_at: last }): Span => ({ first, last }))
    .reduce(joined, { first: null, last: null });
