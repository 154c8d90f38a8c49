import { Table, TableForeignKey, TableIndex } from 'typeorm';
import type { QueryRunner, TableColumnOptions } from 'typeorm';

/*
 * What the migrations are written with. Texts are compared byte by byte on every engine, so MySQL gets a binary
 * collation; where the engines need different types, the choice is made here.
 */

type Columns = Record<string, Omit<TableColumnOptions, 'name'>>;

export interface Schema {
  id: Columns[string];
  integer: Columns[string];
  micros: Columns[string];
  flag: Columns[string];
  text: (length: number) => Columns[string];
  longText: Columns[string];
  mediumText: Columns[string];
  /** ASCII text that is part of a key. */
  key: (length: number) => Columns[string];
  exactSum: Columns[string];
  bytes: Columns[string];
}

/** A foreign key whose rows go with the row they point to. */
export interface Reference {
  name: string;
  column: string;
  table: string;
  /** The column it points to; `id` unless given. */
  key?: string;
}

export interface TableDescription {
  columns: Columns;
  unique?: Record<string, string[]>;
  indices?: Record<string, string[]>;
  references?: Reference[];
  /** Are the rows kept in the order of the primary key? On MySQL they always are. */
  isClustered?: boolean;
}

const isMysql = (runner: QueryRunner): boolean => runner.dataSource.options.type !== 'better-sqlite3';

/** The column types of the engine behind the runner. */
export function schemaOf(runner: QueryRunner): Schema {
  const mysql = isMysql(runner);
  const collation = mysql ? { charset: 'utf8mb4', collation: 'utf8mb4_bin' } : {};
  return {
    id: {
      type: mysql ? 'int' : 'integer',
      isPrimary: true,
      isGenerated: true,
      generationStrategy: 'increment',
    },
    integer: { type: mysql ? 'int' : 'integer' },
    micros: { type: 'bigint' },
    flag: { type: mysql ? 'tinyint' : 'boolean', ...(mysql ? { width: 1 } : {}) },
    text: (length) => ({ type: 'varchar', length: String(length), ...collation }),
    longText: { type: 'text', ...collation },
    mediumText: { type: mysql ? 'mediumtext' : 'text', ...collation },
    key: (length) => ({
      type: 'varchar',
      length: String(length),
      ...(mysql ? { charset: 'ascii', collation: 'ascii_bin' } : {}),
    }),
    bytes: { type: mysql ? 'mediumblob' : 'blob' },
    exactSum: mysql ? { type: 'decimal', precision: 65, scale: 0 } : { type: 'text' },
  };
}

export const nullable = (column: Columns[string]): Columns[string] => ({ ...column, isNullable: true });

export const primary = (column: Columns[string]): Columns[string] => ({ ...column, isPrimary: true });

/** Creates a table with its indices and foreign keys. */
export async function createTable(runner: QueryRunner, name: string, table: TableDescription): Promise<void> {
  const { columns, unique = {}, indices = {}, references = [], isClustered = false } = table;
  const indexList = (entries: Record<string, string[]>, isUnique: boolean): TableIndex[] =>
    Object.entries(entries).map(
      ([indexName, columnNames]) => new TableIndex({ name: indexName, columnNames, isUnique }),
    );
  await runner.createTable(
    new Table({
      name,
      columns: Object.entries(columns).map(([columnName, options]) => ({ name: columnName, ...options })),
      indices: [...indexList(unique, true), ...indexList(indices, false)],
      foreignKeys: references.map(
        (reference) =>
          new TableForeignKey({
            name: reference.name,
            columnNames: [reference.column],
            referencedTableName: reference.table,
            referencedColumnNames: [reference.key ?? 'id'],
            onDelete: 'CASCADE',
            onUpdate: 'NO ACTION',
          }),
      ),
      ...(isMysql(runner) ? { engine: 'InnoDB' } : { withoutRowid: isClustered }),
    }),
  );
}
