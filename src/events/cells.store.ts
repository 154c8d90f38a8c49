import { setImmediate as othersTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { chunksOf } from '../common/lists/grouping';
import { Database, Tx } from '../database/database';
import { addingDuplicates } from '../database/dialect';
import { countRows } from '../database/row-locks';
import { placeholders } from '../database/row-store';
import { COUNTS, EXACT_SUMS } from './attribution';
import { CellChange, overEventDays } from './cell-changes';

const ENTRY_KEY = [
  'experiment_id',
  'generation',
  'goal_id',
  'variation_id',
  'phase',
  'device',
  'entry_day',
] as const;
const CHUNK = 500;
/** Deleted cells per transaction: on SQLite, neither other writes nor requests are served meanwhile. */
const REMOVED = 1_000;

/** Cells of an experiment: of all generations, or from the first of these to before the second. */
export interface UnusedCells {
  experimentId: number;
  generations?: readonly [from: number, before: number];
}

type Column = 'generation' | keyof CellChange;

/** A table of cells: by entry day and event day, or summed by entry day. */
interface CellTable {
  name: string;
  key: readonly Column[];
}

/** The columns of a change. */
const CHANGE: readonly (keyof CellChange)[] = [
  ...ENTRY_KEY.filter((name) => name !== 'generation'),
  'event_day',
  ...COUNTS,
  ...EXACT_SUMS,
];
const EXACT = new Set<string>(EXACT_SUMS);

const CELLS: CellTable = { name: 'result_cells', key: [...ENTRY_KEY, 'event_day'] };
const ENTRY_CELLS: CellTable = { name: 'entry_cells', key: ENTRY_KEY };

/** Writes the cells of results. */
@Injectable()
export class CellStore {
  constructor(private readonly database: Database) {}

  /** Applies changes to the cells of a generation and to their sums, and deletes cells that become zero. */
  async add(tx: Tx, generation: number, changes: readonly CellChange[]): Promise<void> {
    await this.addTo(tx, CELLS, generation, changes);
    await this.addTo(tx, ENTRY_CELLS, generation, overEventDays(changes));
  }

  /** The cells of one generation. */
  async list(tx: Tx, experimentId: number, generation: number): Promise<CellChange[]> {
    const rows: Record<keyof CellChange, number | string>[] = await tx.query(
      `SELECT ${CHANGE.join(', ')} FROM ${CELLS.name} WHERE experiment_id = ? AND generation = ?`,
      [experimentId, generation],
    );
    return rows.map(toChange);
  }

  /** Deletes cells that nothing shows any more, in short transactions. */
  async removeUnused(unused: readonly UnusedCells[]): Promise<void> {
    for (const cells of unused) {
      await this.remove(cells);
    }
  }

  private async remove({ experimentId, generations }: UnusedCells): Promise<void> {
    const [where, parameters] =
      generations === undefined
        ? ['experiment_id = ?', [experimentId]]
        : ['experiment_id = ? AND generation >= ? AND generation < ?', [experimentId, ...generations]];
    for (const { name, key } of [CELLS, ENTRY_CELLS]) {
      const sql = `DELETE FROM ${name} WHERE ${where} ORDER BY ${key.join(', ')} LIMIT ${REMOVED}`;
      while ((await this.database.transaction((tx) => countRows(tx, sql, parameters))) > 0) {
        await othersTurn();
      }
    }
  }

  private async addTo(
    tx: Tx,
    { name, key }: CellTable,
    generation: number,
    changes: readonly CellChange[],
  ): Promise<void> {
    const columns = [...key, ...COUNTS, ...EXACT_SUMS];
    const tuple = `(${placeholders(columns.length)})`;
    const tail = addingDuplicates(this.database.engine, { key, integers: COUNTS, exact: EXACT_SUMS });
    for (const chunk of chunksOf(changes, CHUNK)) {
      await tx.query(
        `INSERT INTO ${name} (${columns.join(', ')}) VALUES ${chunk.map(() => tuple).join(', ')} ${tail}`,
        chunk.flatMap((change) => valuesOf(columns, generation, change)),
      );
    }
    for (const change of changes.filter(
      ({ participants, conversions }) => participants < 0 || conversions < 0,
    )) {
      await tx.query(
        `DELETE FROM ${name} WHERE ${key.map((column) => `${column} = ?`).join(' AND ')}
            AND participants = 0 AND conversions = 0`,
        valuesOf(key, generation, change),
      );
    }
  }
}

function valuesOf(columns: readonly Column[], generation: number, change: CellChange): (number | string)[] {
  const row = { ...change, generation };
  return columns.map((column) => {
    const value = row[column];
    return typeof value === 'bigint' ? String(value) : value;
  });
}

const toChange = (row: Record<keyof CellChange, number | string>): CellChange =>
  Object.fromEntries(
    CHANGE.map((name) => [name, EXACT.has(name) ? BigInt(row[name]) : Number(row[name])]),
  ) as unknown as CellChange;
