import type { EntityManager } from 'typeorm';
import { groupBy } from '../common/lists/collections';
import type { Micros } from '../common/time/clock';
import { numberOrNull } from '../database/columns';
import { placeholders } from '../database/row-store';
import { CountingRules, countSame, finalAfter, goalsWithOtherCaps, Run, Seen } from './counting-rules';

type Stored = string | number;

/** A run as returned by the drivers. */
export interface RunRow {
  experiment_id: number;
  started_at: Stored;
  ended_at: Stored | null;
}

/** The start of a phase as returned by the drivers. */
export interface PhaseRow {
  experiment_id: number;
  began_at: Stored;
}

/** The value cap of a goal as returned by the drivers, in ten-thousandths. */
export interface CapRow {
  id: number;
  value_cap: Stored | null;
}

interface ExperimentRow {
  id: number;
  project_id: number;
  archived_at: Stored | null;
  recounts: number | null;
}

/** The counting rules of one cell generation. */
export interface CellsOfRules {
  experimentId: number;
  generation: number;
  rules: CountingRules;
}

/** The runs of an experiment, in chronological order. */
export async function readRuns(manager: Pick<EntityManager, 'query'>, experimentId: number): Promise<Run[]> {
  const rows: RunRow[] = await manager.query(
    'SELECT experiment_id, started_at, ended_at FROM experiment_runs WHERE experiment_id = ? ORDER BY started_at, id',
    [experimentId],
  );
  return runsOf(rows);
}

const runsOf = (rows: readonly RunRow[]): Run[] =>
  rows.map(({ started_at, ended_at }) => ({
    startedAt: Number(started_at),
    endedAt: numberOrNull(ended_at),
  }));

/**
 * @param runs the experiment's runs, in chronological order
 * @param phases the experiment's phases, sorted by number
 * @param caps value caps of the project's goals
 * @param recounts number of recounts of the experiment's results; 0 if there are no results yet
 */
export const countingRules = (
  archivedAt: Stored | null,
  runs: readonly RunRow[],
  phases: readonly PhaseRow[],
  caps: ReadonlyMap<number, number>,
  recounts = 0,
): CountingRules => ({
  runs: runsOf(runs),
  finalAt: finalAfter(numberOrNull(archivedAt)),
  phases: phases.map(({ began_at }) => Number(began_at)),
  caps,
  hasSquares: true,
  recounts,
});

/** The value caps by goal. */
export const capsOf = (goals: readonly CapRow[]): Map<number, number> =>
  new Map(
    goals.flatMap(({ id, value_cap }) => (value_cap === null ? [] : [[id, Number(value_cap)] as const])),
  );

/** The current counting rules of experiments. Experiments that do not exist are omitted. */
export async function readCountingRules(
  manager: EntityManager,
  experimentIds: readonly number[],
): Promise<Map<number, CountingRules>> {
  if (experimentIds.length === 0) {
    return new Map();
  }
  const among = placeholders(experimentIds.length);
  const experiments: ExperimentRow[] = await manager.query(
    `SELECT e.id, e.project_id, e.archived_at, r.recounts FROM experiments e
       LEFT JOIN experiment_results r ON r.experiment_id = e.id WHERE e.id IN (${among})`,
    [...experimentIds],
  );
  const rows: RunRow[] = await manager.query(
    `SELECT experiment_id, started_at, ended_at FROM experiment_runs
      WHERE experiment_id IN (${among}) ORDER BY started_at, id`,
    [...experimentIds],
  );
  const phaseRows: PhaseRow[] = await manager.query(
    `SELECT experiment_id, began_at FROM experiment_phases
      WHERE experiment_id IN (${among}) ORDER BY experiment_id, number`,
    [...experimentIds],
  );
  const goals: (CapRow & { project_id: number })[] = await manager.query(
    `SELECT id, project_id, value_cap FROM goals
      WHERE value_cap IS NOT NULL AND project_id IN (
        SELECT project_id FROM experiments WHERE id IN (${among})) ORDER BY id`,
    [...experimentIds],
  );
  const capped = groupBy(goals, ({ project_id }) => project_id);
  const runs = groupBy(rows, ({ experiment_id }) => experiment_id);
  const phases = groupBy(phaseRows, ({ experiment_id }) => experiment_id);
  return new Map(
    experiments.map(({ id, project_id, archived_at, recounts }) => [
      id,
      countingRules(
        archived_at,
        runs.get(id) ?? [],
        phases.get(id) ?? [],
        capsOf(capped.get(project_id) ?? []),
        recounts ?? 0,
      ),
    ]),
  );
}

/**
 * Whether cells would be the same under different rules. A value cap has no effect if the cells contain no conversions
 * for its goal.
 * @param seen see `countSame`
 */
export async function areCountedBy(
  manager: EntityManager,
  { experimentId, generation, rules }: CellsOfRules,
  others: CountingRules,
  seen: Seen,
  now: Micros,
): Promise<boolean> {
  const goals = goalsWithOtherCaps(rules, others);
  return (
    countSame(rules, others, seen, now) &&
    (goals.length === 0 || !(await haveConversions(manager, experimentId, generation, goals)))
  );
}

async function haveConversions(
  manager: EntityManager,
  experimentId: number,
  generation: number,
  goalIds: readonly number[],
): Promise<boolean> {
  const found: unknown[] = await manager.query(
    `SELECT goal_id FROM entry_cells
      WHERE experiment_id = ? AND generation = ? AND goal_id IN (${placeholders(goalIds.length)}) LIMIT 1`,
    [experimentId, generation, ...goalIds],
  );
  return found.length > 0;
}
