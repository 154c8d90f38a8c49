import { Injectable } from '@nestjs/common';
import type { Micros } from '../common/time/clock';
import { Database, Tx } from '../database/database';
import { addingDuplicates } from '../database/dialect';
import { placeholders } from '../database/row-store';
import type { CellChange } from './cell-changes';

const KEY = ['experiment_id', 'generation', 'goal_id', 'variation_id', 'device', 'entry_day', 'event_day'];
const INTEGERS = ['participants', 'converters', 'conversions'];
const EXACT = ['value', 'value_squared'];
const COLUMNS = [...KEY, ...INTEGERS, ...EXACT];
const TUPLE = `(${placeholders(COLUMNS.length)})`;
const CHUNK = 500;

/** From the first to the last event that counts; null without any. */
export interface Span {
  first: Micros | null;
  last: Micros | null;
}

/** The state of an experiment's results, locked for a transaction. */
export interface ResultState {
  experimentId: number;
  /** Of the cells that are shown. */
  generation: number;
  span: Span;
  /** The cells that a rebuild is filling: they hold the visitors up to `to`. */
  rebuild: { generation: number; to: string; span: Span } | null;
}

interface StateRow {
  experiment_id: number;
  generation: number;
  first_event_at: string | number | null;
  last_event_at: string | number | null;
  rebuild_generation: number | null;
  rebuilt_to: string | null;
  rebuild_first_event_at: string | number | null;
  rebuild_last_event_at: string | number | null;
}

/** Writes the cells of results. */
@Injectable()
export class CellStore {
  constructor(private readonly database: Database) {}

  /** Locks the results of experiments, always in the same order; what was purged is left out. */
  async lock(tx: Tx, experimentIds: readonly number[]): Promise<ResultState[]> {
    if (experimentIds.length === 0) {
      return [];
    }
    const rows: StateRow[] = await tx.query(
      `SELECT experiment_id, generation, first_event_at, last_event_at,
              rebuild_generation, rebuilt_to, rebuild_first_event_at, rebuild_last_event_at
         FROM experiment_results WHERE experiment_id IN (${placeholders(experimentIds.length)})
        ORDER BY experiment_id${this.database.forUpdate}`,
      [...experimentIds],
    );
    return rows.map(toState);
  }

  /** Adds changes to the cells of a generation; cells that come to nothing are removed. */
  async add(tx: Tx, generation: number, changes: readonly CellChange[]): Promise<void> {
    const tail = addingDuplicates(this.database.engine, { key: KEY, integers: INTEGERS, exact: EXACT });
    for (let start = 0; start < changes.length; start += CHUNK) {
      const chunk = changes.slice(start, start + CHUNK);
      await tx.query(
        `INSERT INTO result_cells (${COLUMNS.join(', ')}) VALUES ${chunk.map(() => TUPLE).join(', ')} ${tail}`,
        chunk.flatMap((change) => parameters(generation, change)),
      );
    }
    for (const change of changes.filter(
      ({ participants, conversions }) => participants < 0 || conversions < 0,
    )) {
      await tx.query(
        `DELETE FROM result_cells WHERE ${KEY.map((column) => `${column} = ?`).join(' AND ')}
            AND participants = 0 AND conversions = 0`,
        parameters(generation, change).slice(0, KEY.length),
      );
    }
  }

  /** Notes that the results that are shown have changed. */
  async note(tx: Tx, experimentId: number, { first, last }: Span): Promise<void> {
    await tx.query(
      'UPDATE experiment_results SET version = version + 1, first_event_at = ?, last_event_at = ? WHERE experiment_id = ?',
      [first, last, experimentId],
    );
  }

  /** Notes how far a rebuild has come. */
  async noteRebuild(tx: Tx, experimentId: number, to: string, { first, last }: Span): Promise<void> {
    await tx.query(
      `UPDATE experiment_results SET rebuilt_to = ?, rebuild_first_event_at = ?, rebuild_last_event_at = ?
        WHERE experiment_id = ?`,
      [to, first, last, experimentId],
    );
  }
}

function toState(row: StateRow): ResultState {
  const { rebuild_generation: generation, rebuilt_to: to } = row;
  return {
    experimentId: row.experiment_id,
    generation: row.generation,
    span: { first: optional(row.first_event_at), last: optional(row.last_event_at) },
    rebuild:
      generation === null || to === null
        ? null
        : {
            generation,
            to,
            span: { first: optional(row.rebuild_first_event_at), last: optional(row.rebuild_last_event_at) },
          },
  };
}

const optional = (value: string | number | null): Micros | null => (value === null ? null : Number(value));

function parameters(generation: number, change: CellChange): (number | string)[] {
  return [
    change.experiment_id,
    generation,
    change.goal_id,
    change.variation_id,
    change.device,
    change.entry_day,
    change.event_day,
    change.participants,
    change.converters,
    change.conversions,
    String(change.value),
    String(change.value_squared),
  ];
}
