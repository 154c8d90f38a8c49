import type { ImportFormat } from '../file-formats';
import { csvFields, FileRecord } from './file-records';
import { ImportRefusedError } from './import-file';

/** Parses a record as a message; undefined if it is malformed. */
export type ReadMessage = (record: FileRecord) => unknown;

const COLUMNS = [
  'type',
  'event',
  'anonymousId',
  'userId',
  'previousId',
  'messageId',
  'timestamp',
  'experiment_id',
  'variation_id',
  'value',
  'url',
  'device',
] as const;

const NEEDED: readonly Column[] = ['type', 'anonymousId', 'messageId', 'timestamp'];

type Column = (typeof COLUMNS)[number];
type Flat = Partial<Record<Column, unknown>>;

const isColumn = (name: string): name is Column => COLUMNS.some((column) => column === name);

const plain = (name: string): string => name.toLowerCase().replaceAll(/[ _.-]/g, '');

/**
 * Creates the record reader for a format.
 * @param header the first record of a CSV file, with the column names; null if there is none
 * @throws ImportRefusedError if the header is not valid
 */
export function messageReader(format: ImportFormat, header: FileRecord | null): ReadMessage {
  if (format === 'ndjson') {
    return readJson;
  }
  const columns = columnsOf(header);
  return ({ bytes }) => {
    const fields = bytes === null ? null : csvFields(bytes);
    return fields?.length === columns.length ? toMessage(flatOf(columns, fields)) : undefined;
  };
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function readJson({ bytes }: FileRecord): unknown {
  try {
    return bytes === null ? undefined : toMessage(JSON.parse(utf8.decode(bytes)));
  } catch {
    return undefined;
  }
}

function columnsOf(header: FileRecord | null): string[] {
  const fields = header === null || header.bytes === null ? null : csvFields(header.bytes);
  const columns = (fields ?? []).map((field) => field.trim());
  const missing = NEEDED.filter((column) => !columns.includes(column));
  if (missing.length > 0) {
    throw new ImportRefusedError(
      `The first line must contain the column names, separated by commas. Missing: ${missing.join(', ')}.`,
    );
  }
  const repeated = columns.filter((column, index) => isColumn(column) && columns.indexOf(column) !== index);
  if (repeated.length > 0) {
    throw new ImportRefusedError(`The first line names the column ${repeated[0]} more than once.`);
  }
  refuseMisspelled(columns);
  return columns;
}

/** Unknown columns are ignored, so the values of a misspelled column such as `Value` or `user_id` would be lost. */
function refuseMisspelled(columns: readonly string[]): void {
  for (const absent of COLUMNS.filter((column) => !columns.includes(column))) {
    const given = columns.find((column) => plain(column) === plain(absent));
    if (given !== undefined) {
      throw new ImportRefusedError(`The first line names the column ${given}. Rename it to ${absent}.`);
    }
  }
}

/** The known columns of a row. Empty fields count as missing. */
function flatOf(columns: readonly string[], fields: readonly string[]): Flat {
  const flat: Flat = {};
  columns.forEach((column, index) => {
    if (isColumn(column) && fields[index] !== '') {
      flat[column] = fields[index];
    }
  });
  return flat;
}

/**
 * Converts a record with flat keys to a message of `POST /v1/batch`, with `properties` and `context`. Other records are
 * returned unchanged.
 */
function toMessage(given: unknown): unknown {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    return given;
  }
  const { experiment_id, variation_id, value, url, device, ...message } = given as Flat & {
    properties?: unknown;
    context?: unknown;
  };
  return {
    ...message,
    properties: message.properties ?? { experiment_id, variation_id, value, url },
    context: message.context ?? { device: { type: device } },
  };
}
