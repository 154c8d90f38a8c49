import { Column, getMetadataArgsStorage, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';
import type { ColumnOptions, DataSourceOptions, ValueTransformer } from 'typeorm';
import { formatDay, formatMicros, parseDay, parseResponseTime } from '../common/time/clock';

/*
 * Columns whose types differ by engine. TypeORM rejects the types of the other engine, so these columns are declared
 * with SQLite types and get their final types once the engine is known. On MySQL, text and bytes get the MEDIUM types,
 * because TEXT and BLOB are limited to 64 KiB, and exact sums are DECIMAL.
 */

interface EngineTypes {
  target: object;
  property: string | symbol;
  sqlite: ColumnOptions;
  mysql: ColumnOptions;
}

const engineTypes: EngineTypes[] = [];

/** A column whose options differ by engine. @param sqlite also resets the options that `mysql` sets */
const byEngine =
  (column: PropertyDecorator, sqlite: ColumnOptions, mysql: ColumnOptions): PropertyDecorator =>
  (target, property) => {
    engineTypes.push({ target: target.constructor, property, sqlite, mysql });
    column(target, property);
  };

const columnByEngine = (
  options: ColumnOptions,
  type: 'text' | 'blob',
  mysql: ColumnOptions,
): PropertyDecorator =>
  byEngine(Column({ type, ...options }), { type, precision: undefined, scale: undefined }, mysql);

/** Converts large integers and sums, which the drivers return as strings. @returns null for null and undefined */
export const numberOrNull = (value: string | number | null | undefined): number | null =>
  value === null || value === undefined ? null : Number(value);

const numeric: ValueTransformer = {
  from: numberOrNull,
  to: (value: number | null) => value,
};

export const hundredths: ValueTransformer = {
  from: (value: string | number | null) => (value === null ? null : Number(value) / 100),
  to: (value: number | null | undefined) => (typeof value === 'number' ? Math.round(value * 100) : value),
};

const day: ValueTransformer = {
  from: (value: string | number | null) => (value === null ? null : formatDay(Number(value))),
  to: (value: string | null | undefined) => (typeof value === 'string' ? parseDay(value) : value),
};

const moment: ValueTransformer = {
  from: (value: string | number | null) => (value === null ? null : formatMicros(Number(value))),
  to: (value: string | null | undefined) => (typeof value === 'string' ? parseResponseTime(value) : value),
};

const tenThousandths: ValueTransformer = {
  from: (value: string | number | null) => (value === null ? null : Number(value) / 10_000),
  to: (value: number | null | undefined) => (typeof value === 'number' ? Math.round(value * 10_000) : value),
};

const bigint: ValueTransformer = {
  from: (value: string) => BigInt(value),
  to: (value: bigint) => String(value),
};

const json: ValueTransformer = {
  from: (value: string | null): unknown => (value === null ? null : JSON.parse(value)),
  to: (value: unknown) => (value === null || value === undefined ? value : JSON.stringify(value)),
};

const LINE = '\n';

/** The entries in a stored `LinesColumn` value. */
export const entriesOfLines = (value: string): string[] =>
  value === '' ? [] : value.slice(1, -1).split(LINE);

const lines: ValueTransformer = {
  from: entriesOfLines,
  to: (value: string[]) => (value.length === 0 ? '' : LINE + value.join(LINE) + LINE),
};

/** Generated primary key. */
export const IdColumn = (): PropertyDecorator => PrimaryGeneratedColumn({ type: 'integer' });

/** The id of another row, or a count. */
export const IntegerColumn = (options: ColumnOptions = {}): PropertyDecorator =>
  Column({ type: 'integer', ...options });

/** A time in microseconds since 1970 (`Micros`). */
export const MicrosColumn = (options: ColumnOptions = {}): PropertyDecorator =>
  Column({ type: 'bigint', transformer: numeric, ...options });

/** A percentage with two decimal places, stored as an integer number of hundredths. */
export const PercentColumn = (options: ColumnOptions = {}): PropertyDecorator =>
  Column({ type: 'integer', transformer: hundredths, ...options });

/** An amount with four decimal places, stored as an integer number of ten-thousandths. */
export const AmountColumn = (options: ColumnOptions = {}): PropertyDecorator =>
  Column({ type: 'bigint', transformer: tenThousandths, ...options });

/** A UTC day, `YYYY-MM-DD`, stored as days since 1970. */
export const DayColumn = (options: ColumnOptions = {}): PropertyDecorator =>
  Column({ type: 'integer', transformer: day, ...options });

/** A time in the format of `formatMicros`, stored in microseconds since 1970. */
export const MomentColumn = (options: ColumnOptions = {}): PropertyDecorator =>
  Column({ type: 'bigint', transformer: moment, ...options });

/** Counts the transactions that relied on the row; see row-store.ts. */
export const LockVersionColumn = (): PropertyDecorator => Column({ type: 'bigint', default: 0 });

export const TextColumn = (length: number, options: ColumnOptions = {}): PropertyDecorator =>
  Column({ type: 'varchar', length, ...options });

export const FlagColumn = (options: ColumnOptions = {}): PropertyDecorator =>
  Column({ type: 'boolean', ...options });

/** Text of up to 16 MiB. */
export const MediumTextColumn = (options: ColumnOptions = {}): PropertyDecorator =>
  columnByEngine(options, 'text', { type: 'mediumtext' });

/** Binary data of up to 16 MiB. */
export const BytesColumn = (): PropertyDecorator => columnByEngine({}, 'blob', { type: 'mediumblob' });

/** A JSON value of up to 16 MiB, or null. */
export const JsonColumn = (): PropertyDecorator => MediumTextColumn({ nullable: true, transformer: json });

/** A list of strings without line breaks, which SQL can search for `\n<entry>\n`. */
export const LinesColumn = (options: ColumnOptions = {}): PropertyDecorator =>
  Column({ type: 'text', transformer: lines, ...options });

/** The search text for a `LinesColumn`. */
export const lineOf = (entry: string): string => LINE + entry + LINE;

/** An exact sum of up to 65 digits; see dialect.ts for arithmetic. */
export const ExactSumColumn = (options: ColumnOptions = {}): PropertyDecorator =>
  columnByEngine({ transformer: bigint, ...options }, 'text', { type: 'decimal', precision: 65, scale: 0 });

/**
 * A phase number that is part of a key. It has a default only on SQLite, which cannot drop the default without copying
 * the table.
 */
export const PhaseColumn = (): PropertyDecorator =>
  byEngine(PrimaryColumn({ type: 'integer', default: 1 }), { default: 1 }, { default: undefined });

/** Sets the types of the columns above for the database engine in use. */
export function applyEngineTypes(type: DataSourceOptions['type']): void {
  for (const { target, property, sqlite, mysql } of engineTypes) {
    const column = getMetadataArgsStorage().columns.find(
      (candidate) => candidate.target === target && candidate.propertyName === property,
    );
    if (column !== undefined) {
      Object.assign(column.options, type === 'better-sqlite3' ? sqlite : mysql);
    }
  }
}
