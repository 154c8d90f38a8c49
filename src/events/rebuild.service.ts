import { Injectable } from '@nestjs/common';
import { groupBy } from '../common/lists/group-by';
import { Database, Tx } from '../database/database';
import { placeholders } from '../database/row-store';
import { attribute } from './attribution';
import { EventRow, groupByVisitor, widened } from './attributor';
import { CellChanges } from './cell-changes';
import { CellStore, ResultState } from './cell-store';

/** Which results are built anew; all of the server without either. */
export interface RebuildScope {
  projectId?: number;
  experimentId?: number;
}

/** Told of each step: visitors done, and of how many. */
export type Progress = (done: number, total: number) => void;

/** The experiments of a project whose results are being built, and the generations that are filled. */
interface Rebuild {
  projectId: number;
  generations: ReadonlyMap<number, number>;
}

const VISITORS = 500;

/** Another process began to build the same results anew. */
export class RebuildTakenOverError extends Error {
  constructor() {
    super('Another rebuild of the same results has begun and goes on instead of this one.');
  }
}

/**
 * Builds results anew from the events while the server goes on collecting and answering. The cells are built beside
 * those that are shown, visitor by visitor in the order of their ids, and take their place at the end. What the
 * worker attributes meanwhile to visitors that have been counted is added to both.
 */
@Injectable()
export class RebuildService {
  constructor(
    private readonly database: Database,
    private readonly cells: CellStore,
  ) {}

  /** @returns the ids of the experiments whose results were built anew; those without any event have none */
  async rebuild(scope: RebuildScope, progress: Progress = () => undefined): Promise<number[]> {
    const projects = await this.experimentsByProject(scope);
    const totals = await this.countVisitors([...projects.keys()]);
    let done = 0;
    for (const [projectId, experimentIds] of projects) {
      const rebuild = await this.begin(projectId, experimentIds);
      for (let counted = await this.step(rebuild); counted > 0; counted = await this.step(rebuild)) {
        done += counted;
        progress(done, Math.max(done, totals));
      }
    }
    return [...projects.values()].flat();
  }

  private async experimentsByProject({
    projectId,
    experimentId,
  }: RebuildScope): Promise<Map<number, number[]>> {
    const rows: { project_id: number; id: number }[] = await this.database.read.query(
      `SELECT e.project_id, e.id FROM experiment_results r JOIN experiments e ON e.id = r.experiment_id
        WHERE (? IS NULL OR e.project_id = ?) AND (? IS NULL OR e.id = ?) ORDER BY e.project_id, e.id`,
      [projectId, projectId, experimentId, experimentId].map((id) => id ?? null),
    );
    const projects = groupBy(rows, ({ project_id }) => project_id);
    return new Map([...projects].map(([id, own]) => [id, own.map((row) => row.id)]));
  }

  private async countVisitors(projectIds: readonly number[]): Promise<number> {
    if (projectIds.length === 0) {
      return 0;
    }
    const [row]: { count: string | number }[] = await this.database.read.query(
      `SELECT COUNT(*) AS count FROM (SELECT DISTINCT project_id, visitor_id FROM events
        WHERE project_id IN (${placeholders(projectIds.length)})) AS visitors`,
      [...projectIds],
    );
    return Number(row?.count);
  }

  /** Makes room for the new cells; what an interrupted rebuild left behind is removed. */
  private begin(projectId: number, experimentIds: readonly number[]): Promise<Rebuild> {
    return this.database.transaction(async (tx) => {
      const generations = new Map<number, number>();
      for (const { experimentId, generation, rebuild } of await this.cells.lock(tx, experimentIds)) {
        const next = Math.max(generation, rebuild?.generation ?? 0) + 1;
        generations.set(experimentId, next);
        await tx.query('DELETE FROM result_cells WHERE experiment_id = ? AND generation <> ?', [
          experimentId,
          generation,
        ]);
        await tx.query(
          `UPDATE experiment_results SET rebuild_generation = ?, rebuilt_to = '',
                  rebuild_first_event_at = NULL, rebuild_last_event_at = NULL WHERE experiment_id = ?`,
          [next, experimentId],
        );
      }
      return { projectId, generations };
    });
  }

  /** Counts the next visitors, or shows the new cells when there are none left; returns how many there were. */
  private step(rebuild: Rebuild): Promise<number> {
    return this.database.transaction(async (tx) => {
      const states = await this.cells.lock(tx, [...rebuild.generations.keys()]);
      const to = positionOf(states, rebuild);
      if (to === null) {
        return 0;
      }
      const visitors: { visitor_id: string }[] = await tx.query(
        `SELECT DISTINCT visitor_id FROM events WHERE project_id = ? AND visitor_id > ?
          ORDER BY visitor_id LIMIT ${VISITORS}`,
        [rebuild.projectId, to],
      );
      const last = visitors.at(-1)?.visitor_id;
      if (last === undefined) {
        await this.show(tx, states);
      } else {
        await this.count(tx, rebuild.projectId, states, to, last);
      }
      return visitors.length;
    });
  }

  /** Adds what is attributed of the visitors after `from` up to `to`; the rest is still the worker's to add. */
  private async count(
    tx: Tx,
    projectId: number,
    states: readonly ResultState[],
    from: string,
    to: string,
  ): Promise<void> {
    const rows: EventRow[] = await tx.query(
      `SELECT visitor_id, event_id, occurred_at, experiment_id, variation_id, goal_id, value, device FROM events
        WHERE project_id = ? AND visitor_id > ? AND visitor_id <= ? AND attributed = 1 ORDER BY visitor_id`,
      [projectId, from, to],
    );
    const participations = groupByVisitor(rows).flatMap(({ events }) => attribute(events));
    for (const { experimentId, rebuild } of states) {
      if (rebuild !== null) {
        const own = participations.filter((participation) => participation.experimentId === experimentId);
        const sums = new CellChanges();
        own.flatMap(({ contributions }) => contributions).forEach((contribution) => sums.add(contribution));
        await this.cells.add(tx, rebuild.generation, sums.list());
        await this.cells.noteRebuild(tx, experimentId, to, own.reduce(widened, rebuild.span));
      }
    }
  }

  private async show(tx: Tx, states: readonly ResultState[]): Promise<void> {
    for (const { experimentId, generation } of states) {
      await tx.query(
        `UPDATE experiment_results SET version = version + 1, generation = rebuild_generation,
                first_event_at = rebuild_first_event_at, last_event_at = rebuild_last_event_at,
                rebuild_generation = NULL, rebuilt_to = NULL,
                rebuild_first_event_at = NULL, rebuild_last_event_at = NULL WHERE experiment_id = ?`,
        [experimentId],
      );
      await tx.query('DELETE FROM result_cells WHERE experiment_id = ? AND generation = ?', [
        experimentId,
        generation,
      ]);
    }
  }
}

/**
 * The visitor up to which all of the results have been counted; null when none of them exists any more.
 * @throws RebuildTakenOverError
 */
function positionOf(states: readonly ResultState[], { generations }: Rebuild): string | null {
  for (const { experimentId, rebuild } of states) {
    if (rebuild === null || rebuild.generation !== generations.get(experimentId)) {
      throw new RebuildTakenOverError();
    }
  }
  return states[0]?.rebuild?.to ?? null;
}
