import type { Micros } from '../common/time/clock';
import type { Tx } from '../database/database';
import type { CountedChanges } from './attribution-steps';
import type { CellStore } from './cells.store';
import type { Seen } from './counting-rules';
import type { ResultState, ResultStates } from './result-states.store';
import { joined } from './visitor-changes';

/** The changes of one attribution step to an experiment's results. */
export interface ResultChange {
  shown: CountedChanges;
  /** Changes of visitors that the rebuild has counted; null if there is no rebuild. It counts the others later. */
  rebuild: CountedChanges | null;
  /** The time span of the events that the step has processed, whether or not they count. */
  seen: Seen | undefined;
  /** When visitors were excluded or included again; null if the change is not due to an exclusion. */
  revisedAt: Micros | null;
}

/** Applies changes to cells and to the state of the results. */
export class ResultChanges {
  constructor(
    private readonly cells: CellStore,
    private readonly states: ResultStates,
  ) {}

  async apply(tx: Tx, state: ResultState, { shown, rebuild, seen, revisedAt }: ResultChange): Promise<void> {
    await this.applyToShown(tx, state, shown, revisedAt);
    if (rebuild !== null && state.rebuild !== null) {
      await this.cells.add(tx, state.rebuild.generation, rebuild.cells);
      await this.states.noteRebuild(tx, state.experimentId, state.rebuild.to, rebuild.span);
    }
    await this.noteSeen(tx, state, seen);
  }

  private async applyToShown(
    tx: Tx,
    { experimentId, shown }: ResultState,
    { cells, span }: CountedChanges,
    revisedAt: Micros | null,
  ): Promise<void> {
    await this.cells.add(tx, shown.generation, cells);
    const isLonger = span.first !== shown.span.first || span.last !== shown.span.last;
    if (cells.length > 0 || isLonger) {
      await this.states.note(tx, experimentId, span);
    }
    if (cells.length > 0 && revisedAt !== null && revisedAt >= (shown.rules.finalAt ?? Infinity)) {
      await this.states.noteRevision(tx, experimentId, revisedAt);
    }
  }

  private async noteSeen(tx: Tx, { experimentId, seen }: ResultState, own: Seen | undefined): Promise<void> {
    const all = own === undefined ? seen : joined(seen, own);
    if (all.first !== seen.first || all.last !== seen.last) {
      await this.states.noteSeen(tx, experimentId, all);
    }
  }
}
