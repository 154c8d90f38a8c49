import type { EntityManager } from 'typeorm';
import type { Day } from '../common/time/clock';
import { ENTERED } from '../events/cell.entities';

/** UTC days, both inclusive. */
export interface DayRange {
  first: Day;
  last: Day;
}

interface EnteredRow {
  variation_id: number;
  /* On MySQL, sums of integers are decimals, which the driver returns as strings. */
  participants: number | string;
}

/** The participants by variation id who entered on these days, on any device and in any phase. */
export async function participantsEntered(
  manager: EntityManager,
  experimentId: number,
  { first, last }: DayRange,
): Promise<Map<number, number>> {
  const rows: EnteredRow[] = await manager.query(
    `SELECT c.variation_id, SUM(c.participants) AS participants
       FROM experiment_results r
       JOIN entry_cells c ON c.experiment_id = r.experiment_id AND c.generation = r.generation
      WHERE r.experiment_id = ? AND c.goal_id = ${ENTERED} AND c.entry_day BETWEEN ? AND ?
      GROUP BY c.variation_id`,
    [experimentId, first, last],
  );
  return new Map(rows.map(({ variation_id, participants }) => [variation_id, Number(participants)]));
}
