import { IdColumn, IntegerColumn, MicrosColumn, TextColumn } from './columns';
import type { Micros } from '../common/time/clock';

/** A row with a name that lists search and sort by, and that find-by-name finds. */
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

  /** Counts up with each change of anything that the record shows; its ETag is made from it. */
  @IntegerColumn()
  version: number;

  @MicrosColumn()
  created_at: Micros;

  @MicrosColumn()
  updated_at: Micros;
}
