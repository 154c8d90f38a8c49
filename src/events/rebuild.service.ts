import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { groupBy } from '../common/lists/collections';
import { byText } from '../common/text/strings';
import { nowMicros } from '../common/time/clock';
import { Database, Tx } from '../database/database';
import { NextVisitors, RebuildCounts } from './attribution-steps';
import { CellStore, UnusedCells } from './cells.store';
import { RebuildWatch } from './rebuild-watch';
import {
  type CurrentRebuild,
  currentRebuilds,
  nextUnsettledProject,
  progressOf,
  RebuildScope,
  resultsIn,
  stepText,
  unsettledResults,
} from './rebuild.store';
import {
  abandonedCells,
  isCurrent,
  isRebuildObsolete,
  ResultState,
  ResultStates,
} from './result-states.store';

/** Called after each batch with the number of visitors counted so far and the total number. */
export type Progress = (done: number, total: number) => void;

/** The experiments of a project whose results are being rebuilt, and their new generations. */
interface Rebuild {
  projectId: number;
  generations: ReadonlyMap<number, number>;
  /** The generations that were cancelled, or replaced by another rebuild, by experiment. */
  takenOver: Map<number, number>;
}

/** One step of a rebuild. */
interface Step {
  /** Number of visitors counted; 0 only at the end. */
  visitors: number;
  /** The cells that the step replaced or abandoned. */
  unused: readonly UnusedCells[];
}

/** Other processes have started to rebuild some of the results, or cancelled their rebuild. The others were rebuilt. */
export class RebuildTakenOverError extends Error {
  /**
   * @param takenOver the generations that were abandoned, by experiment
   * @param experimentIds all experiments of the rebuild
   */
  constructor(
    readonly takenOver: ReadonlyMap<number, number>,
    readonly experimentIds: readonly number[],
  ) {
    super(
      `The rebuild was taken over or cancelled for these experiments: ${[...takenOver.keys()].join(', ')}. All other results have been rebuilt.`,
    );
  }
}

const WAIT_MS = 200;

/**
 * Rebuilds results from the events without downtime. A new generation of cells is filled in batches of visitors, sorted
 * by id, and replaces the current generation at the end. When the worker attributes new events from visitors who are
 * already counted, it adds them to both generations.
 */
@Injectable()
export class RebuildService {
  /**
   * A rebuild that makes no progress for this long counts as interrupted. In ClickHouse, a step runs several queries,
   * each of which can take two minutes.
   */
  readonly stalledAfterMs: number = 900_000;

  /**
   * A rebuild of current results that makes no progress for this long is continued by the worker. Two processes that
   * continue the same rebuild repeat each other's queries, so this is longer than most steps in ClickHouse.
   */
  readonly helpAfterMs: number = 300_000;

  private readonly watch = new RebuildWatch();

  constructor(
    private readonly database: Database,
    private readonly cells: CellStore,
    private readonly states: ResultStates,
    private readonly counts: RebuildCounts,
  ) {}

  /**
   * Rebuilds results. Skips experiments whose events were removed; see `unrepeatable`.
   * @returns the ids of the experiments whose results were rebuilt; experiments without exposures have no results
   * @throws RebuildTakenOverError at the end, if another rebuild has taken over some results
   */
  async rebuild(scope: RebuildScope, progress: Progress = () => undefined): Promise<number[]> {
    const projects = await this.experimentsByProject(scope);
    const all = [...projects.values()].flat();
    const totals = await this.counts.countVisitors([...projects.keys()]);
    let done = 0;
    const takenOver = new Map<number, number>();
    for (const [projectId, experimentIds] of projects) {
      const rebuild = await this.begin(projectId, experimentIds);
      for (let counted = await this.step(rebuild); counted > 0; counted = await this.step(rebuild)) {
        done += counted;
        progress(done, Math.max(done, totals));
      }
      rebuild.takenOver.forEach((generation, id) => takenOver.set(id, generation));
    }
    if (takenOver.size > 0) {
      throw new RebuildTakenOverError(takenOver, all);
    }
    return all;
  }

  /**
   * Like `rebuild`, but waits for other rebuilds that take over some of the results, such as the worker's rebuild after
   * a visitor was deleted.
   */
  async rebuildOrWait(scope: RebuildScope, progress?: Progress): Promise<number[]> {
    try {
      return await this.rebuild(scope, progress);
    } catch (error) {
      if (!(error instanceof RebuildTakenOverError)) {
        throw error;
      }
      for (const [experimentId, generation] of error.takenOver) {
        if (!(await this.waitForOther(experimentId, generation))) {
          await this.rebuildOrWait({ experimentId });
        }
      }
      return [...error.experimentIds];
    }
  }

  /**
   * @param generation the generation that was abandoned
   * @returns false if no later generation was shown, because the other rebuild was interrupted or cancelled
   */
  private async waitForOther(experimentId: number, generation: number): Promise<boolean> {
    let known: string | null = null;
    let stalledMs = 0;
    while (stalledMs < this.stalledAfterMs) {
      const progress = await progressOf(this.database.read, experimentId);
      if (progress === null || progress.step === null) {
        return progress === null || progress.generation > generation;
      }
      stalledMs = progress.step === known ? stalledMs + WAIT_MS : 0;
      known = progress.step;
      await sleep(WAIT_MS);
    }
    return false;
  }

  private async experimentsByProject(scope: RebuildScope): Promise<Map<number, number[]>> {
    const rows = await resultsIn(this.database.read, scope, 'complete');
    const projects = groupBy(rows, ({ project_id }) => project_id);
    return new Map([...projects].map(([id, own]) => [id, own.map((row) => row.id)]));
  }

  /** The experiments whose results are kept and cannot be rebuilt, because some of their events were removed. */
  async unrepeatable(scope: RebuildScope): Promise<number[]> {
    return (await resultsIn(this.database.read, scope, 'removed')).map(({ id }) => id);
  }

  /**
   * Applies changed counting rules in steps: updates the rules of the cells if the counts stay the same, otherwise
   * counts the next batch of visitors for a rebuild. Also continues rebuilds whose process seems to have ended. Any
   * number of processes can do this at the same time.
   * @returns whether there was anything to do
   */
  async follow(): Promise<boolean> {
    const projectId = await nextUnsettledProject(this.database.read);
    if (projectId !== null) {
      await this.finish(await this.counts.transaction((tx) => this.followIn(tx, projectId)));
      return true;
    }
    const rebuilds = this.watch.stalled(await currentRebuilds(this.database.read), this.helpAfterMs);
    const [stalled] = groupBy(rebuilds, (rebuild) => rebuild.projectId);
    if (stalled === undefined) {
      return false;
    }
    const { helped, ...step } = await this.counts.transaction((tx) => this.help(tx, ...stalled));
    this.watch.note(await currentRebuilds(this.database.read), helped);
    await this.finish(step);
    return true;
  }

  /** Continues stalled rebuilds, except those that have made progress in the meantime. */
  private async help(
    tx: Tx,
    projectId: number,
    rebuilds: readonly CurrentRebuild[],
  ): Promise<Step & { helped: number[] }> {
    const steps = new Map(rebuilds.map(({ experimentId, step }) => [experimentId, step]));
    const { states, abandoned } = await this.settle(tx, [...steps.keys()]);
    const stalled = states.filter(
      ({ experimentId, rebuild }) =>
        rebuild !== null && stepText(rebuild.generation, rebuild.to) === steps.get(experimentId),
    );
    const { visitors, unused } = await this.advance(tx, projectId, stalled);
    const helped = stalled.map(({ experimentId }) => experimentId);
    return { visitors, unused: [...abandoned, ...unused], helped };
  }

  private async followIn(tx: Tx, projectId: number): Promise<Step> {
    const ids = await unsettledResults(tx, projectId);
    const { states, abandoned } = await this.settle(tx, ids);
    const due = states.filter((state) => !isCurrent(state));
    for (const state of due.filter(({ rulesVersion, rebuild }) => rebuild?.version !== rulesVersion)) {
      abandoned.push(...abandonedCells(state));
      await this.states.begin(tx, state);
    }
    const { visitors, unused } = await this.advance(tx, projectId, due);
    return { visitors, unused: [...abandoned, ...unused] };
  }

  /** Locks the results, and cancels rebuilds for which there is no more reason, such as a value cap that was reset. */
  private async settle(
    tx: Tx,
    experimentIds: readonly number[],
  ): Promise<{ states: ResultState[]; abandoned: UnusedCells[] }> {
    const states = await this.states.settleChangeable(tx, experimentIds, nowMicros());
    const abandoned: UnusedCells[] = [];
    for (const state of states.filter(isRebuildObsolete)) {
      abandoned.push(...abandonedCells(state));
      await this.states.cancel(tx, state);
    }
    return { states, abandoned };
  }

  /** Starts a new generation of cells, and deletes the cells of an interrupted rebuild. */
  private async begin(projectId: number, experimentIds: readonly number[]): Promise<Rebuild> {
    const generations = new Map<number, number>();
    const abandoned = await this.database.transaction(async (tx) => {
      const states = await this.states.settleChangeable(tx, experimentIds, nowMicros());
      const unused = states.flatMap(abandonedCells);
      for (const state of states) {
        generations.set(state.experimentId, await this.states.begin(tx, state));
      }
      return unused;
    });
    await this.cells.removeUnused(abandoned);
    return { projectId, generations, takenOver: new Map() };
  }

  /**
   * Counts the next batch of visitors, or shows the new cells if no visitors are left. Leaves out results whose rebuild
   * was cancelled or taken over.
   * @returns number of visitors counted, at least 1 while other results of the rebuild are unfinished; 0 at the end
   */
  private async step({ projectId, generations, takenOver }: Rebuild): Promise<number> {
    const ids = [...generations.keys()].filter((id) => !takenOver.has(id));
    const { states, ...step } = await this.counts.transaction(async (tx) => {
      const { states, abandoned } = await this.settle(tx, ids);
      const own = states.filter(
        ({ experimentId, rebuild }) => rebuild?.generation === generations.get(experimentId),
      );
      const { visitors, unused } = await this.advance(tx, projectId, own);
      return { states, visitors, unused: [...abandoned, ...unused] };
    });
    for (const [id, generation] of lostIn(states, generations)) {
      takenOver.set(id, generation);
    }
    return this.finish(step);
  }

  /**
   * Deletes the unused cells of a step in separate transactions, because a single transaction would block SQLite for
   * seconds. If the process dies before it has deleted the cells, they stay invisible until `LeftoverCells` deletes
   * them.
   * @returns number of visitors counted; 0 at the end
   */
  private async finish({ visitors, unused }: Step): Promise<number> {
    await this.cells.removeUnused(unused);
    return visitors;
  }

  /** Continues the rebuilds with the least progress. */
  private async advance(tx: Tx, projectId: number, states: readonly ResultState[]): Promise<Step> {
    const [from] = states.map(({ rebuild }) => rebuild?.to ?? '').sort(byText);
    if (from === undefined) {
      return { visitors: 0, unused: [] };
    }
    const least = states.filter(({ rebuild }) => rebuild?.to === from);
    const { visitors, to, counted } = await this.counts.next(tx, projectId, from, least);
    if (to !== null) {
      await this.count(tx, least, counted, to);
      return { visitors: Math.max(1, visitors), unused: [] };
    }
    const unused = await this.show(tx, least);
    return { visitors: least.length === states.length ? 0 : Math.max(1, visitors), unused };
  }

  private async count(
    tx: Tx,
    states: readonly ResultState[],
    counted: NextVisitors['counted'],
    to: string,
  ): Promise<void> {
    for (const { experimentId, rebuild } of states) {
      const changes = counted.get(experimentId);
      if (rebuild !== null && changes !== undefined) {
        await this.cells.add(tx, rebuild.generation, changes.cells);
        await this.states.noteRebuild(tx, experimentId, to, changes.span);
      }
    }
  }

  /** @returns the cells that were shown before */
  private async show(tx: Tx, states: readonly ResultState[]): Promise<UnusedCells[]> {
    for (const state of states) {
      await this.states.show(tx, state);
    }
    return states.map(({ experimentId, shown: { generation } }) => ({
      experimentId,
      generations: [generation, generation + 1],
    }));
  }
}

/** The generations of a rebuild that were cancelled, or replaced by another rebuild, by experiment. */
const lostIn = (
  states: readonly ResultState[],
  generations: Rebuild['generations'],
): [experimentId: number, generation: number][] =>
  states.flatMap(({ experimentId, shown, rebuild }) => {
    const generation = generations.get(experimentId);
    const isLost = generation !== undefined && ![rebuild?.generation, shown.generation].includes(generation);
    return isLost ? [[experimentId, generation]] : [];
  });
