import { Table, TableForeignKey, TableIndex } from 'typeorm';
import type { QueryRunner, TableColumnOptions } from 'typeorm';

/*
 * Helpers for migrations. Every engine must compare text byte by byte, so MySQL gets a binary collation. Column types
 * that differ by engine are chosen here.
 */

type Columns = Record<string, Omit<TableColumnOptions, 'name'>>;

/** Column types, each with the corresponding decorators of `src/database/columns.ts`. */
export interface Schema {
  /** `IdColumn` */
  id: Columns[string];
  /** `IntegerColumn`, `PercentColumn`, `DayColumn` */
  integer: Columns[string];
  /** `MicrosColumn`, `MomentColumn`, `AmountColumn`, `LockVersionColumn` */
  micros: Columns[string];
  /** `FlagColumn` */
  flag: Columns[string];
  /** `TextColumn` */
  text: (length: number) => Columns[string];
  /** Up to 64 KiB: `LinesColumn` */
  shortText: Columns[string];
  /** Up to 16 MiB: `MediumTextColumn`, `JsonColumn` */
  mediumText: Columns[string];
  /** ASCII text that is part of a key. */
  key: (length: number) => Columns[string];
  /** `ExactSumColumn` */
  exactSum: Columns[string];
  /** `BytesColumn` */
  bytes: Columns[string];
}

/** A foreign key with cascading delete. */
export interface Reference {
  name: string;
  column: string;
  table: string;
  /** The referenced column; `id` by default. */
  key?: string;
}

export interface TableDescription {
  columns: Columns;
  unique?: Record<string, string[]>;
  indices?: Record<string, string[]>;
  references?: Reference[];
  /** Whether rows are stored in primary key order. On MySQL, they always are. */
  isClustered?: boolean;
}

export const isMysql = (runner: QueryRunner): boolean => runner.dataSource.options.type !== 'better-sqlite3';

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
    shortText: { type: 'text', ...collation },
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

/** Adds the column that counts the transactions that relied on a row. */
export async function addLockVersion(runner: QueryRunner, table: string): Promise<void> {
  await runner.query(`ALTER TABLE ${table} ADD COLUMN lock_version bigint NOT NULL DEFAULT 0`);
}

/** Creates a table with its indexes and foreign keys. */
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

/** The columns that every record with a name has. */
export const namedColumns = ({ id, text }: Schema): Columns => ({
  id,
  name: text(255),
  name_key: text(64),
  name_search: text(765),
});

export const stampedColumns = ({ integer, micros }: Schema): Columns => ({
  version: integer,
  created_at: micros,
  updated_at: micros,
});

/**
 * The table of a standard project resource, with an index on the name and a unique api_name if there is one. Released
 * migrations use this function, so its result must not change. @param own the columns specific to the resource
 */
export function resourceTable(table: string, schema: Schema, own: Columns): TableDescription {
  return {
    columns: { ...namedColumns(schema), project_id: schema.integer, ...own, ...stampedColumns(schema) },
    unique: 'api_name' in own ? { [`uq_${table}_api_name`]: ['project_id', 'api_name'] } : {},
    indices: { [`ix_${table}_name_key`]: ['project_id', 'name_key'] },
    references: [{ name: `fk_${table}_project`, column: 'project_id', table: 'projects' }],
  };
}

/** SQL types of columns that are nullable or have a constant default, so they can be added to tables with rows. */
const ADDED = {
  flag: { sqlite: 'boolean NOT NULL DEFAULT 0', mysql: 'tinyint(1) NOT NULL DEFAULT 0' },
  flagOn: { sqlite: 'boolean NOT NULL DEFAULT 1', mysql: 'tinyint(1) NOT NULL DEFAULT 1' },
  integer: { sqlite: 'integer', mysql: 'int NULL' },
  version: { sqlite: 'integer NOT NULL DEFAULT 1', mysql: 'int NOT NULL DEFAULT 1' },
  line: {
    sqlite: 'varchar(255)',
    mysql: 'varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL',
  },
  folded: {
    sqlite: 'varchar(765)',
    mysql: 'varchar(765) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL',
  },
  currencyCode: {
    sqlite: 'varchar(3)',
    mysql: 'varchar(3) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL',
  },
  requestId: {
    sqlite: 'varchar(64)',
    mysql: 'varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL',
  },
  automation: {
    sqlite: 'varchar(16)',
    mysql: 'varchar(16) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL',
  },
  apiName: {
    sqlite: "varchar(64) NOT NULL DEFAULT ''",
    mysql: "varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT ''",
  },
  lines: {
    sqlite: "varchar(255) NOT NULL DEFAULT ''",
    mysql: "varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT ''",
  },
  optionalText: {
    sqlite: 'text',
    mysql: 'mediumtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL',
  },
  counting: {
    sqlite: "varchar(16) NOT NULL DEFAULT 'unique'",
    mysql: "varchar(16) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT 'unique'",
  },
  wholePercent: { sqlite: 'integer NOT NULL DEFAULT 10000', mysql: 'int NOT NULL DEFAULT 10000' },
  guardrailAction: {
    sqlite: "varchar(16) NOT NULL DEFAULT 'none'",
    mysql: "varchar(16) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT 'none'",
  },
  count: { sqlite: 'integer NOT NULL DEFAULT 0', mysql: 'int NOT NULL DEFAULT 0' },
  optionalInteger: { sqlite: 'integer', mysql: 'int NULL' },
  total: { sqlite: 'bigint NOT NULL DEFAULT 0', mysql: 'bigint NOT NULL DEFAULT 0' },
  optionalBigint: { sqlite: 'bigint', mysql: 'bigint NULL' },
  exactSum: { sqlite: "text NOT NULL DEFAULT '0'", mysql: 'decimal(65,0) NOT NULL DEFAULT 0' },
};

/** Adds a column unless it exists. Unlike TypeORM, it does not rebuild the table on SQLite. */
export async function addColumn(
  runner: QueryRunner,
  table: string,
  column: string,
  type: keyof typeof ADDED,
): Promise<void> {
  if (!(await runner.hasColumn(table, column))) {
    const definition = ADDED[type][isMysql(runner) ? 'mysql' : 'sqlite'];
    await runner.query(`ALTER TABLE ${table} ADD COLUMN ${column} ${definition}`);
  }
}
