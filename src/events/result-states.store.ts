import { Injectable } from '@nestjs/common';
import type { Micros } from '../common/time/clock';
import { numberOrNull } from '../database/columns';
import type { Tx } from '../database/database';
import { lockRows, placeholders } from '../database/row-store';
import type { UnusedCells } from './cells.store';
import { CountingRules, parseRules, rulesText, Seen } from './counting-rules';
import { areCountedBy, readCountingRules } from './counting-rules.store';
import { FIRST_GENERATION } from './experiment-result.entity';

/** Times of the first and last counted events; null if there are none. */
export interface Span {
  first: Micros | null;
  last: Micros | null;
}

/** A generation of cells, with its counting rules. */
interface CountedCells {
  generation: number;
  span: Span;
  /** Version of the rules; equal to the state's `rulesVersion` if they have not changed since. */
  version: number;
  rules: CountingRules;
}

/** The state of an experiment's results, locked by a transaction. */
export interface ResultState {
  experimentId: number;
  /** Incremented whenever the counting rules change. */
  rulesVersion: number;
  seen: Seen;
  /** Events before this time were removed, so the cells no longer change. Null if no events were removed. */
  eventsRemovedUntil: Micros | null;
  shown: CountedCells;
  /** The generation that a rebuild is filling. It includes visitors up to `to`. */
  rebuild: (CountedCells & { to: string }) | null;
  /** The highest generation that the result has had, including that of a cancelled rebuild. */
  lastGeneration: number;
}

interface StateRow {
  experiment_id: number;
  rules_version: number;
  seen_from: string | number | null;
  seen_until: string | number | null;
  generation: number;
  attribution_version: number;
  rules: string | null;
  first_event_at: string | number | null;
  last_event_at: string | number | null;
  rebuild_generation: number | null;
  rebuild_version: number | null;
  rebuild_rules: string | null;
  rebuilt_to: string | null;
  rebuild_first_event_at: string | number | null;
  rebuild_last_event_at: string | number | null;
  events_removed_until: string | number | null;
}

const COLUMNS = [
  'experiment_id',
  'rules_version',
  'seen_from',
  'seen_until',
  'generation',
  'attribution_version',
  'rules',
  'first_event_at',
  'last_event_at',
  'rebuild_generation',
  'rebuild_version',
  'rebuild_rules',
  'rebuilt_to',
  'rebuild_first_event_at',
  'rebuild_last_event_at',
  'events_removed_until',
] as const satisfies (keyof StateRow)[];

/** Maximum value of the column's type. */
const MAX_GENERATION = 2 ** 31 - 1;

/** Whether the shown cells were counted under the current rules. */
export const isCurrent = ({ rulesVersion, shown }: ResultState): boolean => shown.version === rulesVersion;

/**
 * Whether there is no more reason for the rebuild: it counts under outdated rules, and the shown cells are current. A
 * rebuild of current cells, which an admin can start, counts under the current rules.
 */
export const isRebuildObsolete = (state: ResultState): boolean =>
  isCurrent(state) && state.rebuild !== null && state.rebuild.version !== state.rulesVersion;

const nextGeneration = ({ lastGeneration }: ResultState): number => lastGeneration + 1;

/** The cells of a result that are no longer needed: cells of an interrupted rebuild, and older cells. */
export const abandonedCells = (state: ResultState): UnusedCells[] =>
  allBut(state, [FIRST_GENERATION, nextGeneration(state)]);

/** The cells of a result that are neither shown nor being filled, left behind by a process that ended too early. */
export const leftoverCells = (state: ResultState): UnusedCells[] =>
  allBut(state, [FIRST_GENERATION, state.rebuild?.generation ?? MAX_GENERATION]);

/** The cells in a range of generations, except the shown generation. */
function allBut(
  { experimentId, shown: { generation } }: ResultState,
  [from, before]: [from: number, before: number],
): UnusedCells[] {
  const ranges: [number, number][] = [
    [from, generation],
    [generation + 1, before],
  ];
  return ranges.filter(([first, end]) => first < end).map((generations) => ({ experimentId, generations }));
}

/**
 * Stores which cell generation is current and under which rules it was counted. Contributions have to be subtracted
 * under the same rules under which they were added. Cells therefore get new rules only if their counts stay the same;
 * otherwise, they are rebuilt.
 */
@Injectable()
export class ResultStates {
  /** Locks the results of experiments on all nodes, always in the same order. Purged results are omitted. */
  async lock(tx: Tx, experimentIds: readonly number[]): Promise<ResultState[]> {
    if (experimentIds.length === 0) {
      return [];
    }
    await lockRows(tx, 'experiment_results', 'experiment_id', experimentIds);
    const rows: StateRow[] = await tx.query(
      `SELECT ${COLUMNS.join(', ')} FROM experiment_results
        WHERE experiment_id IN (${placeholders(experimentIds.length)}) ORDER BY experiment_id`,
      [...experimentIds],
    );
    return rows.map(toState);
  }

  /**
   * Like `lock`, but also gives cells the current rules if these count the same attributed events. All other cells keep
   * their rules until they are rebuilt.
   */
  async settle(tx: Tx, experimentIds: readonly number[], now: Micros): Promise<ResultState[]> {
    const states = await this.lock(tx, experimentIds);
    const changed = states.filter((state) => !isCurrent(state)).map(({ experimentId }) => experimentId);
    const rules = await readCountingRules(tx, changed);
    for (const state of states) {
      const present = rules.get(state.experimentId);
      if (present !== undefined) {
        await this.follow(tx, state, present, now);
      }
    }
    return states;
  }

  /** Like `settle`, but omits results whose events were removed, because their cells never change. */
  async settleChangeable(tx: Tx, experimentIds: readonly number[], now: Micros): Promise<ResultState[]> {
    return (await this.settle(tx, experimentIds, now)).filter(
      ({ eventsRemovedUntil }) => eventsRemovedUntil === null,
    );
  }

  /** Records that events before a given time may have been removed, and cancels a rebuild. */
  async noteRemoval(tx: Tx, experimentId: number, until: Micros): Promise<void> {
    await tx.query(
      `UPDATE experiment_results SET version = version + 1, events_removed_until = ?,
              rebuild_generation = NULL, rebuild_version = NULL, rebuild_rules = NULL, rebuilt_to = NULL,
              rebuild_first_event_at = NULL, rebuild_last_event_at = NULL WHERE experiment_id = ?`,
      [until, experimentId],
    );
  }

  /** Starts a new generation of cells with the current rules. @returns the generation */
  async begin(tx: Tx, state: ResultState): Promise<number> {
    const { experimentId, rulesVersion: version, shown } = state;
    const rules = (await readCountingRules(tx, [experimentId])).get(experimentId) ?? shown.rules;
    const generation = nextGeneration(state);
    await tx.query(
      `UPDATE experiment_results SET rebuild_generation = ?, rebuild_version = ?, rebuild_rules = ?, rebuilt_to = '',
              rebuild_first_event_at = NULL, rebuild_last_event_at = NULL WHERE experiment_id = ?`,
      [generation, version, rulesText(rules), experimentId],
    );
    state.rebuild = { generation, version, rules, to: '', span: { first: null, last: null } };
    state.lastGeneration = generation;
    return generation;
  }

  /**
   * Cancels a rebuild. Keeps the number of its generation, because a new rebuild with the same number would lose cells
   * to a process that is still deleting the cells of the cancelled rebuild.
   */
  async cancel(tx: Tx, state: ResultState): Promise<void> {
    await tx.query(
      `UPDATE experiment_results SET rebuild_version = NULL, rebuild_rules = NULL, rebuilt_to = NULL,
              rebuild_first_event_at = NULL, rebuild_last_event_at = NULL WHERE experiment_id = ?`,
      [state.experimentId],
    );
    state.rebuild = null;
  }

  /** Makes the rebuilt generation the current one. */
  async show(tx: Tx, { experimentId }: ResultState): Promise<void> {
    await tx.query(
      `UPDATE experiment_results SET version = version + 1, generation = rebuild_generation,
              attribution_version = rebuild_version, rules = rebuild_rules,
              first_event_at = rebuild_first_event_at, last_event_at = rebuild_last_event_at,
              rebuild_generation = NULL, rebuild_version = NULL, rebuild_rules = NULL, rebuilt_to = NULL,
              rebuild_first_event_at = NULL, rebuild_last_event_at = NULL WHERE experiment_id = ?`,
      [experimentId],
    );
  }

  /** Increments the version of the shown results, and stores the times of their first and last counted events. */
  async note(tx: Tx, experimentId: number, { first, last }: Span): Promise<void> {
    await tx.query(
      'UPDATE experiment_results SET version = version + 1, first_event_at = ?, last_event_at = ? WHERE experiment_id = ?',
      [first, last, experimentId],
    );
  }

  /** Records that a final result was changed manually. */
  async noteRevision(tx: Tx, experimentId: number, now: Micros): Promise<void> {
    await tx.query('UPDATE experiment_results SET revised_at = ? WHERE experiment_id = ?', [
      now,
      experimentId,
    ]);
  }

  /** Requests a recount of the results in the background, even during a running rebuild. */
  async requestRecount(tx: Tx, experimentId: number): Promise<void> {
    await tx.query(
      'UPDATE experiment_results SET recounts = recounts + 1, rules_version = rules_version + 1 WHERE experiment_id = ?',
      [experimentId],
    );
  }

  /** Records the time span of the attributed events, including those that do not count. */
  async noteSeen(tx: Tx, experimentId: number, { first, last }: Seen): Promise<void> {
    await tx.query('UPDATE experiment_results SET seen_from = ?, seen_until = ? WHERE experiment_id = ?', [
      first,
      last,
      experimentId,
    ]);
  }

  /** Records the progress of a rebuild. */
  async noteRebuild(tx: Tx, experimentId: number, to: string, { first, last }: Span): Promise<void> {
    await tx.query(
      `UPDATE experiment_results SET rebuilt_to = ?, rebuild_first_event_at = ?, rebuild_last_event_at = ?
        WHERE experiment_id = ?`,
      [to, first, last, experimentId],
    );
  }

  private async follow(tx: Tx, state: ResultState, present: CountingRules, now: Micros): Promise<void> {
    const { experimentId, rulesVersion: version, seen, shown, rebuild } = state;
    const rules = rulesText(present);
    if (await areCountedBy(tx, { experimentId, ...shown }, present, seen, now)) {
      state.shown = { ...shown, version, rules: present };
      await tx.query(
        'UPDATE experiment_results SET attribution_version = ?, rules = ? WHERE experiment_id = ?',
        [version, rules, experimentId],
      );
    }
    if (
      rebuild !== null &&
      rebuild.version !== version &&
      (await areCountedBy(tx, { experimentId, ...rebuild }, present, seen, now))
    ) {
      state.rebuild = { ...rebuild, version, rules: present };
      await tx.query(
        'UPDATE experiment_results SET rebuild_version = ?, rebuild_rules = ? WHERE experiment_id = ?',
        [version, rules, experimentId],
      );
    }
  }
}

function toState(row: StateRow): ResultState {
  const { rebuild_generation: generation, rebuilt_to: to } = row;
  return {
    experimentId: row.experiment_id,
    rulesVersion: row.rules_version,
    eventsRemovedUntil: numberOrNull(row.events_removed_until),
    seen: { first: numberOrNull(row.seen_from), last: numberOrNull(row.seen_until) },
    lastGeneration: Math.max(row.generation, generation ?? 0),
    shown: {
      generation: row.generation,
      span: { first: numberOrNull(row.first_event_at), last: numberOrNull(row.last_event_at) },
      version: row.attribution_version,
      rules: parseRules(row.rules),
    },
    rebuild:
      generation === null || to === null
        ? null
        : {
            generation,
            to,
            span: {
              first: numberOrNull(row.rebuild_first_event_at),
              last: numberOrNull(row.rebuild_last_event_at),
            },
            version: row.rebuild_version ?? 0,
            rules: parseRules(row.rebuild_rules),
          },
  };
}
