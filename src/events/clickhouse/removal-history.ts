import { Injectable, Logger } from '@nestjs/common';
import type { Micros } from '../../common/time/clock';
import { Database, Tx } from '../../database/database';
import { resultsIn } from '../rebuild.store';
import { ResultStates } from '../result-states.store';
import { ClickHouse } from './clickhouse';
import { EventRemovals, type Removal, type RemovalRound } from './event-removals.store';
import { endOf, insertRemovals, lastRound, type NotedRemoval, removalsAfter } from './table.store';

/** How long server startup waits for the removals. */
const LIMIT_MS = 3_000;

/** The experiments whose results a removal concerns. */
interface Concerned {
  /** Results that can no longer change, because their events are gone. */
  kept: number[];
  /** Results that are counted again. */
  recounted: number[];
}

/**
 * Notes removals in ClickHouse before the events are deleted. A main database that was restored from an older backup
 * thereby learns which events are gone. Otherwise it would count the remaining events as if they were all events.
 */
@Injectable()
export class RemovalHistory {
  private readonly logger = new Logger(RemovalHistory.name);

  constructor(
    private readonly database: Database,
    private readonly clickhouse: ClickHouse,
    private readonly removals: EventRemovals,
    private readonly states: ResultStates,
  ) {}

  /** Notes removals whose events will be deleted. Safe to repeat. */
  async begin({ number, removals }: RemovalRound): Promise<void> {
    await this.clickhouse.command(insertRemovals(removals.map((removal) => notedIn(number, removal))));
  }

  /** Notes that the events of a round are deleted. Safe to repeat. */
  async end({ number }: Pick<RemovalRound, 'number'>): Promise<void> {
    await this.clickhouse.command(insertRemovals([endOf(number)]));
  }

  /** Whether ClickHouse has noted the end of this round, so that it is not older than the round. */
  async hasEnded(round: number): Promise<boolean> {
    const [row] = await this.clickhouse.rows<{ round: number }>(lastRound());
    return (row?.round ?? 0) >= round;
  }

  /**
   * Counts a purge as a round, because events of a purged record exist again in a ClickHouse that was restored from an
   * older backup. If ClickHouse is already older, it must still look older.
   */
  async notePurge(): Promise<void> {
    const number = await this.database.transaction((tx) => this.removals.countRound(tx));
    if (await this.hasEnded(number - 1)) {
      await this.end({ number });
    }
  }

  /**
   * Applies the removals that ClickHouse has noted but the main database does not know, because it was restored from a
   * backup. Results that have lost events to a retention period no longer change. All other results of the project are
   * recounted if visitors were deleted.
   */
  async catchUp(): Promise<void> {
    const finished = await this.removals.finishedRounds(this.database.read);
    const noted = await this.clickhouse.rows<NotedRemoval>(removalsAfter(finished), LIMIT_MS);
    if (noted.length === 0) {
      return;
    }
    const { kept, recounted } = await this.database.transaction((tx) => this.apply(tx, noted));
    if (kept.length + recounted.length > 0) {
      this.logger.warn(
        `ClickHouse has deleted events that this main database still expects. The main database is older, perhaps restored from a backup. Results that can no longer change: ${listOf(kept)}. Results that are recounted without deleted visitors: ${listOf(recounted)}.`,
      );
    }
  }

  private async apply(tx: Tx, noted: readonly NotedRemoval[]): Promise<Concerned> {
    await this.removals.holdRounds(tx);
    const finished = await this.removals.finishedRounds(tx);
    const pending = new Set((await this.removals.pending(tx)).map((removal) => keyOf(notedIn(0, removal))));
    // The removals of a round that is still under way are pending in the main database that began it.
    const unknown = noted.filter((each) => each.round > finished && !pending.has(keyOf(each)));
    const concerned: Concerned = { kept: [], recounted: [] };
    for (const projectId of [...new Set(unknown.map(({ project_id }) => project_id))].sort((a, b) => a - b)) {
      const own = unknown.filter(({ project_id }) => project_id === projectId);
      const before = Math.max(...own.map(({ happened_before }) => happened_before));
      concerned.kept.push(...(await this.keep(tx, projectId, before)));
      if (own.some(({ happened_before }) => happened_before === 0)) {
        concerned.recounted.push(...(await this.recount(tx, projectId)));
      }
    }
    await this.removals.noteRounds(tx, Math.max(0, ...unknown.map(({ round }) => round)));
    return concerned;
  }

  /**
   * Retention keeps all events of results that can still change, so every result with earlier events had lost them.
   *
   * @returns the experiments
   */
  private async keep(tx: Tx, projectId: number, before: Micros): Promise<number[]> {
    const all = await resultsIn(tx, { projectId }, 'any');
    const states = await this.states.lock(
      tx,
      all.map(({ id }) => id),
    );
    const kept: number[] = [];
    for (const { experimentId, seen, eventsRemovedUntil: known } of states) {
      const until = Math.min(before, (seen.last ?? before) + 1);
      if (seen.first !== null && seen.first < before && (known === null || known < until)) {
        await this.states.noteRemoval(tx, experimentId, until);
        kept.push(experimentId);
      }
    }
    return kept;
  }

  private async recount(tx: Tx, projectId: number): Promise<number[]> {
    const ids = (await resultsIn(tx, { projectId }, 'complete')).map(({ id }) => id);
    for (const id of ids) {
      await this.states.requestRecount(tx, id);
    }
    return ids;
  }
}

const notedIn = (round: number, { projectId, before, requestedAt }: Removal): NotedRemoval => ({
  round,
  project_id: projectId,
  happened_before: before ?? 0,
  requested_at: requestedAt,
});

const keyOf = ({ project_id, happened_before, requested_at }: NotedRemoval): string =>
  [project_id, happened_before, requested_at].join(' ');

const listOf = (experimentIds: readonly number[]): string =>
  experimentIds.length === 0 ? 'none' : `experiments ${experimentIds.join(', ')}`;
