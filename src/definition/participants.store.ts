import type { EntityManager } from 'typeorm';
import { placeholders } from '../database/row-store';
import { ENTERED } from '../events/cell.entities';

/** The number of participants by experiment, omitting experiments that have none. */
export async function participantCounts(
  manager: EntityManager,
  experimentIds: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  if (experimentIds.length === 0) {
    return new Map();
  }
  const rows: { id: number; participants: number | string }[] = await manager.query(
    `SELECT r.experiment_id AS id, SUM(c.participants) AS participants
       FROM experiment_results r
       JOIN entry_cells c ON c.experiment_id = r.experiment_id AND c.generation = r.generation
      WHERE c.goal_id = ${ENTERED} AND r.experiment_id IN (${placeholders(experimentIds.length)})
      GROUP BY r.experiment_id`,
    [...experimentIds],
  );
  return new Map(rows.map(({ id, participants }) => [id, Number(participants)]));
}
