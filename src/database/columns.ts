import { Column, getMetadataArgsStorage, PrimaryGeneratedColumn } from 'typeorm';
import type { ColumnOptions, DataSourceOptions, ValueTransformer } from 'typeorm';

/*
 * The columns on which the engines differ. MySQL's TEXT ends at 64 KiB and needs MEDIUMTEXT, a type that TypeORM
 * refuses on SQLite, so such columns are declared TEXT and get their type when the engine is known.
 */

const mediumTexts: { target: object; property: string | symbol }[] = [];

const numeric: ValueTransformer = {
  from: (value: string | number | null) => (value === null ? null : Number(value)),
  to: (value: number | null) => value,
};

const hundredths: ValueTransformer = {
  from: (value: string | number | null) => (value === null ? null : Number(value) / 100),
  to: (value: number | null | undefined) => (typeof value === 'number' ? Math.round(value * 100) : value),
};

const json: ValueTransformer = {
  from: (value: string | null): unknown => (value === null ? null : JSON.parse(value)),
  to: (value: unknown) => (value === null || value === undefined ? value : JSON.stringify(value)),
};

const LINE = '\n';
const lines: ValueTransformer = {
  from: (value: string) => (value === '' ? [] : value.slice(1, -1).split(LINE)),
  to: (value: string[]) => (value.length === 0 ? '' : LINE + value.join(LINE) + LINE),
};

/** Generated primary key. */
export const IdColumn = (): PropertyDecorator => PrimaryGeneratedColumn({ type: 'integer' });

/** The id of another row, or a count. */
export const IntegerColumn = (options: ColumnOptions = {}): PropertyDecorator =>
  Column({ type: 'integer', ...options });

/** A moment in microseconds since 1970 (`Micros`). */
export const MicrosColumn = (options: ColumnOptions = {}): PropertyDecorator =>
  Column({ type: 'bigint', transformer: numeric, ...options });

/** A percent with two decimals, kept as an exact integer of hundredths. */
export const PercentColumn = (options: ColumnOptions = {}): PropertyDecorator =>
  Column({ type: 'integer', transformer: hundredths, ...options });

export const TextColumn = (length: number, options: ColumnOptions = {}): PropertyDecorator =>
  Column({ type: 'varchar', length, ...options });

export const FlagColumn = (): PropertyDecorator => Column({ type: 'boolean' });

/** Text of up to 16 MiB. */
export function LongTextColumn(options: ColumnOptions = {}): PropertyDecorator {
  return (target, property) => {
    mediumTexts.push({ target: target.constructor, property });
    Column({ type: 'text', ...options })(target, property);
  };
}

/** A JSON value of up to 16 MiB, or null. */
export const JsonColumn = (): PropertyDecorator => LongTextColumn({ nullable: true, transformer: json });

/** A list of strings without line breaks, which SQL can search for `\n<entry>\n`. */
export const LinesColumn = (): PropertyDecorator => Column({ type: 'text', transformer: lines });

/** What to search for in a `LinesColumn`. */
export const lineOf = (entry: string): string => LINE + entry + LINE;

/** Gives the columns above the type they have on the engine that is about to be opened. */
export function applyEngineTypes(type: DataSourceOptions['type']): void {
  for (const { target, property } of mediumTexts) {
    const column = getMetadataArgsStorage().columns.find(
      (candidate) => candidate.target === target && candidate.propertyName === property,
    );
    if (column !== undefined) {
      column.options.type = type === 'better-sqlite3' ? 'text' : 'mediumtext';
    }
  }
}
