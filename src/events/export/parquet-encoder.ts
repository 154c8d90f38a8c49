import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { COLUMN_NAMES, COLUMNS, ColumnType, EventEncoder, ExportedEvent } from './exported-event';

type SchemaElement = ConstructorParameters<typeof ParquetWriter>[0]['schema'][number];

/**
 * Events per row group. Engines read row groups as a whole, so the events in a group are kept in memory until the group
 * is full.
 */
const ROW_GROUP = 20_000;

const TYPES: Readonly<Record<ColumnType, Omit<SchemaElement, 'name'>>> = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  integer: { type: 'INT32' },
  moment: { type: 'INT64', logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' } },
  value: { type: 'INT64', converted_type: 'DECIMAL', precision: 18, scale: 4 },
};

const NEVER_NULL: readonly string[] = [
  'event_id',
  'type',
  'visitor_id',
  'canonical_id',
  'occurred_at',
  'device',
] satisfies (keyof ExportedEvent)[];

const SCHEMA: SchemaElement[] = [
  { name: 'events', num_children: COLUMN_NAMES.length },
  ...COLUMN_NAMES.map((name) => ({
    name,
    ...TYPES[COLUMNS[name]],
    repetition_type: NEVER_NULL.includes(name) ? ('REQUIRED' as const) : ('OPTIONAL' as const),
  })),
];

/** Apache Parquet, compressed with Snappy. */
export class ParquetEncoder implements EventEncoder {
  private readonly bytes = new ByteWriter();
  private readonly file = new ParquetWriter({ writer: this.bytes, schema: SCHEMA, createdBy: 'gosset' });
  private waiting: ExportedEvent[] = [];

  encode(events: readonly ExportedEvent[]): Uint8Array {
    this.waiting.push(...events);
    if (this.waiting.length >= ROW_GROUP) {
      this.writeGroup();
    }
    return this.taken();
  }

  end(): Uint8Array {
    if (this.waiting.length > 0) {
      this.writeGroup();
    }
    void this.file.finish();
    return this.taken();
  }

  private writeGroup(): void {
    const rows = this.waiting;
    this.waiting = [];
    const columnData = COLUMN_NAMES.map((name) => ({
      name,
      data: rows.map((event) => parquetValue(event[name], COLUMNS[name])),
    }));
    void this.file.write({ columnData, rowGroupSize: rows.length });
  }

  /** The bytes written since the last call. */
  private taken(): Uint8Array {
    const bytes = this.bytes.getBytes().slice();
    this.bytes.index = 0;
    return bytes;
  }
}

/** The library takes 64-bit numbers as bigints, and decimals without the decimal point. */
const parquetValue = (field: string | number | null, type: ColumnType): string | number | bigint | null =>
  typeof field === 'number' && type !== 'integer' ? BigInt(field) : field;
