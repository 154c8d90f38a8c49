import { IdColumn, IntegerColumn, MicrosColumn, TextColumn } from './columns';
import type { Micros } from '../common/time/clock';

/** A row with a name for lists and find-by-name. */
export abstract class NamedRow {
  @IdColumn()
  id: number;

  @TextColumn(255)
  name: string;

  /** See `nameColumns`. */
  @TextColumn(64)
  name_key: string;

  /** A character may become three when it is normalised. */
  @TextColumn(765)
  name_search: string;

  /** Version of the record, incremented with each visible change; the ETag is derived from it. */
  @IntegerColumn()
  version: number;

  @MicrosColumn()
  created_at: Micros;

  @MicrosColumn()
  updated_at: Micros;
}
