import { Injectable } from '@nestjs/common';
import { groupBy } from '../../common/lists/collections';
import { nowMicros } from '../../common/time/clock';
import { Database, Tx } from '../../database/database';
import { NextVisitors, RebuildCounts } from '../attribution-steps';
import { CellChange, CellChanges } from '../cell-changes';
import { CellStore } from '../cells.store';
import type { Progress } from '../rebuild.service';
import { isCurrent, ResultState, ResultStates } from '../result-states.store';
import { resultsIn } from '../rebuild.store';

/** The outcome of comparing stored results with those that ClickHouse computes. */
export interface ComparedResults {
  /** Ids of experiments whose results are equal. */
  equal: number[];
  differing: number[];
  /** Results with changed counting rules, which the worker recounts anyway. */
  recounting: number[];
}

/** Computes all results like a rebuild, but compares the cells instead of storing them. */
@Injectable()
export class ResultComparison {
  constructor(
    private readonly database: Database,
    private readonly counts: RebuildCounts,
    private readonly cells: CellStore,
    private readonly states: ResultStates,
  ) {}

  /** No events may be attributed during the comparison. */
  async compare(progress: Progress): Promise<ComparedResults> {
    const projects = groupBy(
      await resultsIn(this.database.read, {}, 'complete'),
      ({ project_id }) => project_id,
    );
    const total = await this.counts.countVisitors([...projects.keys()]);
    const compared: ComparedResults = { equal: [], differing: [], recounting: [] };
    let done = 0;
    for (const [projectId, experiments] of projects) {
      const ids = experiments.map(({ id }) => id);
      const sums = new Map(ids.map((id) => [id, new CellChanges()]));
      for (let from: string | null = ''; from !== null;) {
        const { visitors, to } = await this.count(projectId, ids, from, sums);
        done += visitors;
        progress(done, Math.max(done, total));
        from = to;
      }
      await this.judge(sums, compared);
    }
    return compared;
  }

  /** Adds the cells of the next visitors. Skips cells of results that are recounted anyway. */
  private async count(
    projectId: number,
    ids: readonly number[],
    from: string,
    sums: ReadonlyMap<number, CellChanges>,
  ): Promise<NextVisitors> {
    const next = await this.counts.transaction(async (tx) =>
      this.counts.next(tx, projectId, from, (await this.currentStates(tx, ids)).map(asRebuild)),
    );
    for (const [id, { cells }] of next.counted) {
      cells.forEach((cell) => sums.get(id)?.add(cell));
    }
    return next;
  }

  private async judge(sums: ReadonlyMap<number, CellChanges>, compared: ComparedResults): Promise<void> {
    const stored = await this.database.transaction(async (tx) => {
      const cells = new Map<number, CellChange[]>();
      for (const { experimentId, shown } of await this.currentStates(tx, [...sums.keys()])) {
        cells.set(experimentId, await this.cells.list(tx, experimentId, shown.generation));
      }
      return cells;
    });
    for (const [id, changes] of sums) {
      const cells = stored.get(id);
      cells?.forEach((cell) => changes.subtract(cell));
      const isEqual = changes.list().length === 0;
      const among = cells === undefined ? compared.recounting : isEqual ? compared.equal : compared.differing;
      among.push(id);
    }
  }

  private async currentStates(tx: Tx, ids: readonly number[]): Promise<ResultState[]> {
    return (await this.states.settleChangeable(tx, ids, nowMicros())).filter(isCurrent);
  }
}

/** The state with an empty rebuild under the same rules, so that all visitors are counted again. */
const asRebuild = (state: ResultState): ResultState => ({
  ...state,
  rebuild: { ...state.shown, to: '', span: { first: null, last: null } },
});
