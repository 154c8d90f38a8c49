import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { chunksOf } from '../common/lists/collections';
import { Database, Tx } from '../database/database';
import { addingDuplicates } from '../database/dialect';
import { placeholders } from '../database/row-store';
import { deleteInSteps, deleteSome, UnwantedRows } from '../database/stepwise-deletes';
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

/**
 * Obsolete cells of an experiment: of all generations, or of generations `from` (inclusive) to `before` (exclusive).
 */
export interface UnusedCells {
  experimentId: number;
  generations?: readonly [from: number, before: number];
}

type Column = 'generation' | keyof CellChange;

/** A table of cells by entry day and event day, or of their sums by entry day. */
interface CellTable {
  name: string;
  key: readonly Column[];
}

/** The columns of a `CellChange`. */
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

  /**
   * Applies changes to the cells of a generation and to their sums by entry day, and deletes cells that become zero.
   */
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

  /**
   * The experiments that have unused cells. Cells are unused if their generation is older than the current generation,
   * or newer than both the current generation and the generation that a rebuild fills. Reads two index entries per
   * experiment per table.
   */
  async experimentsWithLeftovers(manager: EntityManager): Promise<number[]> {
    const generation = ({ name }: CellTable, order: 'ASC' | 'DESC'): string =>
      `(SELECT c.generation FROM ${name} c WHERE c.experiment_id = r.experiment_id
         ORDER BY c.experiment_id ${order}, c.generation ${order} LIMIT 1)`;
    const isLeft = [CELLS, ENTRY_CELLS].map(
      (table) => `${generation(table, 'ASC')} < r.generation
        OR ${generation(table, 'DESC')} > CASE WHEN r.rebuilt_to IS NULL THEN r.generation ELSE r.rebuild_generation END`,
    );
    const rows: { experiment_id: number }[] = await manager.query(
      `SELECT r.experiment_id FROM experiment_results r WHERE ${isLeft.join(' OR ')} ORDER BY r.experiment_id`,
    );
    return rows.map(({ experiment_id }) => experiment_id);
  }

  /** Deletes obsolete cells in short transactions. */
  async removeUnused(unused: readonly UnusedCells[]): Promise<void> {
    for (const rows of unused.flatMap(rowsOf)) {
      await deleteInSteps(this.database, rows);
    }
  }

  /** Deletes some of the given cells. @returns false if no such cells were left */
  async removeSome(tx: Tx, unused: readonly UnusedCells[]): Promise<boolean> {
    for (const rows of unused.flatMap(rowsOf)) {
      if ((await deleteSome(tx, rows)) > 0) {
        return true;
      }
    }
    return false;
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

function rowsOf({ experimentId, generations }: UnusedCells): UnwantedRows[] {
  const condition =
    generations === undefined
      ? { where: 'experiment_id = ?', parameters: [experimentId] }
      : {
          where: 'experiment_id = ? AND generation >= ? AND generation < ?',
          parameters: [experimentId, ...generations],
        };
  return [CELLS, ENTRY_CELLS].map(({ name, key }) => ({ table: name, key, ...condition }));
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
