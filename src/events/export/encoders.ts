import { stringify } from 'csv-stringify/sync';
import { formatMicros } from '../../common/time/clock';
import type { ExportFormat } from '../file-formats';
import { decimalText } from '../values';
import { COLUMN_NAMES, COLUMNS, EventEncoder, ExportedEvent } from './exported-event';

export async function encoderFor(format: ExportFormat): Promise<EventEncoder> {
  if (format === 'parquet') {
    const { ParquetEncoder } = await import('./parquet-encoder.js');
    return new ParquetEncoder();
  }
  return format === 'csv' ? new CsvEncoder() : new NdjsonEncoder();
}

/** A field as a string or as an integer; null if it has no value. Decimals keep all their digits. */
function textOf(event: ExportedEvent, name: keyof ExportedEvent): string | number | null {
  const field = event[name];
  if (field === null || typeof field === 'string') {
    return field;
  }
  if (COLUMNS[name] === 'moment') {
    return formatMicros(field);
  }
  return COLUMNS[name] === 'value' ? decimalText(field) : field;
}

const NOTHING = new Uint8Array();

/** One JSON object per line. */
class NdjsonEncoder implements EventEncoder {
  encode(events: readonly ExportedEvent[]): Uint8Array {
    return Buffer.from(events.map((event) => `{${COLUMN_NAMES.map(memberOf(event)).join(',')}}\n`).join(''));
  }

  end(): Uint8Array {
    return NOTHING;
  }
}

/** Values are JSON numbers with all stored digits; converting them to floating point might lose some digits. */
const memberOf =
  (event: ExportedEvent) =>
  (name: keyof ExportedEvent): string => {
    const text = textOf(event, name);
    return `"${name}":${COLUMNS[name] === 'value' && text !== null ? text : JSON.stringify(text)}`;
  };

/** RFC 4180 with a header. All strings are quoted, so missing values and leading or trailing spaces are unambiguous. */
class CsvEncoder implements EventEncoder {
  private hasHeader = false;

  encode(events: readonly ExportedEvent[]): Uint8Array {
    const header = this.header();
    const rows = events.map((event) => COLUMN_NAMES.map((name) => textOf(event, name)));
    return Buffer.from(header + stringify(rows, { quoted_string: true, record_delimiter: '\r\n' }));
  }

  end(): Uint8Array {
    return Buffer.from(this.header());
  }

  private header(): string {
    const header = this.hasHeader ? '' : `${COLUMN_NAMES.join(',')}\r\n`;
    this.hasHeader = true;
    return header;
  }
}
