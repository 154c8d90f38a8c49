import { Injectable } from '@nestjs/common';
import { groupBy } from '../common/lists/group-by';
import { nowMicros } from '../common/time/clock';
import { Database, Tx } from '../database/database';
import { placeholders } from '../database/row-store';
import { EVENT_COLUMNS, EventRow, groupByVisitor } from './attributor';
import { CellChanges } from './cell-changes';
import { CellStore } from './cells.store';
import { exclusionsOf } from './exclusions/exclusion.store';
import { participationsOf } from './links/linked-ids';
import { canonicalIdsAfter, linkedIdsOf } from './links/linked-ids.store';
import { isCurrent, ResultState, ResultStates } from './result-states.store';
import { rulesOf, widened } from './visitor-changes';

/** Scope of a rebuild; without either, all results of the server. */
export interface RebuildScope {
  projectId?: number;
  experimentId?: number;
}

/** Called after each batch with the number of visitors done and in total. */
export type Progress = (done: number, total: number) => void;

/** The experiments of a project whose results are being rebuilt, and their new generations. */
interface Rebuild {
  projectId: number;
  generations: ReadonlyMap<number, number>;
}

const VISITORS = 500;

/** Another process started a rebuild of the same results. */
export class RebuildTakenOverError extends Error {
  constructor() {
    super('Another rebuild of the same results has begun and goes on instead of this one.');
  }
}

/**
 * Rebuilds results from the events without downtime. A new generation of cells is filled in batches of visitors, sorted
 * by id, and replaces the current one at the end. Events that the worker attributes in the meantime to visitors that
 * are already counted are added to both generations.
 */
@Injectable()
export class RebuildService {
  constructor(
    private readonly database: Database,
    private readonly cells: CellStore,
    private readonly states: ResultStates,
  ) {}

  /** @returns the ids of the experiments whose results were rebuilt; experiments without events have no results */
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

  /**
   * Applies changed counting rules in steps: updates the rules of the cells if the counts stay the same, otherwise
   * counts the next batch of visitors of a rebuild. Any number of processes may do this at the same time.
   * @returns whether there was anything to do
   */
  async follow(): Promise<boolean> {
    const [behind]: { project_id: number }[] = await this.database.read.query(
      `SELECT e.project_id FROM experiment_results r JOIN experiments e ON e.id = r.experiment_id
        WHERE ${BEHIND} ORDER BY e.project_id LIMIT 1`,
    );
    if (behind === undefined) {
      return false;
    }
    await this.database.transaction((tx) => this.followIn(tx, behind.project_id));
    return true;
  }

  private async followIn(tx: Tx, projectId: number): Promise<void> {
    const rows: { experiment_id: number }[] = await tx.query(
      `SELECT r.experiment_id FROM experiment_results r JOIN experiments e ON e.id = r.experiment_id
        WHERE e.project_id = ? AND ${BEHIND} ORDER BY r.experiment_id`,
      [projectId],
    );
    const ids = rows.map(({ experiment_id }) => experiment_id);
    const states = (await this.states.settle(tx, ids, nowMicros())).filter((state) => !isCurrent(state));
    for (const state of states.filter(({ rulesVersion, rebuild }) => rebuild?.version !== rulesVersion)) {
      await this.beginOne(tx, state);
    }
    await this.advance(tx, projectId, states);
  }

  /** Starts a new generation of cells, and deletes the cells of an interrupted rebuild. */
  private begin(projectId: number, experimentIds: readonly number[]): Promise<Rebuild> {
    return this.database.transaction(async (tx) => {
      const generations = new Map<number, number>();
      for (const state of await this.states.settle(tx, experimentIds, nowMicros())) {
        generations.set(state.experimentId, await this.beginOne(tx, state));
      }
      return { projectId, generations };
    });
  }

  /** @returns the new generation */
  private async beginOne(tx: Tx, state: ResultState): Promise<number> {
    await this.cells.removeOthers(tx, state.experimentId, state.shown.generation);
    return this.states.begin(tx, state);
  }

  /** Counts the next batch of visitors, or publishes the new cells if there are none left; returns the batch size. */
  private step({ projectId, generations }: Rebuild): Promise<number> {
    return this.database.transaction(async (tx) => {
      const states = await this.states.settle(tx, [...generations.keys()], nowMicros());
      return this.advance(tx, projectId, unfinished(states, generations));
    });
  }

  /** Continues the rebuilds with the least progress. @returns number of visitors counted, at least 1 until the end */
  private async advance(tx: Tx, projectId: number, states: readonly ResultState[]): Promise<number> {
    const [from] = states.map(({ rebuild }) => rebuild?.to ?? '').sort(byText);
    if (from === undefined) {
      return 0;
    }
    const least = states.filter(({ rebuild }) => rebuild?.to === from);
    const visitors = await this.visitorsAfter(tx, projectId, from);
    const last = visitors.at(-1);
    if (last === undefined) {
      await this.show(tx, least);
    } else {
      await this.count(tx, projectId, least, visitors);
    }
    return last === undefined && least.length === states.length ? 0 : Math.max(1, visitors.length);
  }

  /** The next ids with events, and the next canonical ids, which may have none. */
  private async visitorsAfter(tx: Tx, projectId: number, from: string): Promise<string[]> {
    const visitors: { visitor_id: string }[] = await tx.query(
      `SELECT DISTINCT visitor_id FROM events WHERE project_id = ? AND visitor_id > ?
        ORDER BY visitor_id LIMIT ${VISITORS}`,
      [projectId, from],
    );
    const canonicalIds = await canonicalIdsAfter(tx, projectId, from, VISITORS);
    const ids = new Set([...visitors.map(({ visitor_id }) => visitor_id), ...canonicalIds]);
    return [...ids].sort(byText).slice(0, VISITORS);
  }

  /**
   * Adds the attributed events of these visitors, with all their linked ids. Visitors that have one of these ids, but
   * another canonical id, are added with that one. The worker adds the events that are not attributed yet.
   */
  private async count(
    tx: Tx,
    projectId: number,
    states: readonly ResultState[],
    visitorIds: readonly string[],
  ): Promise<void> {
    const links = await linkedIdsOf(tx, projectId, visitorIds, 'attributed');
    const ids = links.and(visitorIds);
    const rows: EventRow[] = await tx.query(
      `SELECT ${EVENT_COLUMNS} FROM events
        WHERE project_id = ? AND visitor_id IN (${placeholders(ids.length)}) AND attributed = 1 ORDER BY visitor_id`,
      [projectId, ...ids],
    );
    const exclusions = await exclusionsOf(tx, projectId, ids);
    const rules = rulesOf(states, 'rebuild');
    const among = new Set(visitorIds);
    const to = visitorIds.at(-1) ?? '';
    const visitors = links.visitors(groupByVisitor(rows));
    const participations = exclusions
      .counted(visitors.flatMap((visitor) => participationsOf(visitor, rules)))
      .filter(({ visitorId }) => among.has(visitorId));
    for (const { experimentId, rebuild } of states) {
      if (rebuild !== null) {
        const own = participations.filter((participation) => participation.experimentId === experimentId);
        const sums = new CellChanges();
        own.flatMap(({ contributions }) => contributions).forEach((contribution) => sums.add(contribution));
        await this.cells.add(tx, rebuild.generation, sums.list());
        await this.states.noteRebuild(tx, experimentId, to, own.reduce(widened, rebuild.span));
      }
    }
  }

  private async show(tx: Tx, states: readonly ResultState[]): Promise<void> {
    for (const state of states) {
      await this.states.show(tx, state);
      await this.cells.remove(tx, state.experimentId, state.shown.generation);
    }
  }
}

/** Results that were counted by outdated rules. */
const BEHIND = 'r.rules_version <> r.attribution_version';

const byText = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/**
 * The results whose rebuild is not finished; another process may have finished some.
 * @throws RebuildTakenOverError
 */
function unfinished(states: readonly ResultState[], generations: ReadonlyMap<number, number>): ResultState[] {
  return states.filter(({ experimentId, shown, rebuild }) => {
    const generation = generations.get(experimentId);
    if (rebuild?.generation !== generation && shown.generation !== generation) {
      throw new RebuildTakenOverError();
    }
    return rebuild?.generation === generation;
  });
}
