import type { Micros } from '../../common/time/clock';
import type { DeviceType } from '../device-types';

/** A row of an export. docs/events-export.md describes the columns. */
export interface ExportedEvent {
  event_id: string;
  type: 'exposure' | 'conversion';
  visitor_id: string;
  /** The id that the visitor's ids are linked to; without a link, the visitor id. */
  canonical_id: string;
  linked_at: Micros | null;
  occurred_at: Micros;
  /** Null unless the event arrived more than 72 hours late. */
  arrived_at: Micros | null;
  experiment_id: number | null;
  experiment: string | null;
  variation_id: number | null;
  variation: string | null;
  /** As reported by the client. */
  phase: number | null;
  goal_id: number | null;
  goal: string | null;
  /** In 1/10,000 of the goal's unit. */
  value: number | null;
  device: DeviceType;
  /** `all`, or the ids of experiments with commas; null if the visitor id is not excluded. */
  excluded_from: string | null;
}

/** Column types: moments are written as timestamps, values as decimals with four digits. */
export type ColumnType = 'text' | 'integer' | 'moment' | 'value';

/** The columns in the order in which they are written. */
export const COLUMNS: Readonly<Record<keyof ExportedEvent, ColumnType>> = {
  event_id: 'text',
  type: 'text',
  visitor_id: 'text',
  canonical_id: 'text',
  linked_at: 'moment',
  occurred_at: 'moment',
  arrived_at: 'moment',
  experiment_id: 'integer',
  experiment: 'text',
  variation_id: 'integer',
  variation: 'text',
  phase: 'integer',
  goal_id: 'integer',
  goal: 'text',
  value: 'value',
  device: 'text',
  excluded_from: 'text',
};

export const COLUMN_NAMES = Object.keys(COLUMNS) as (keyof ExportedEvent)[];

/** Encodes events in one format. The caller appends the returned bytes to the file. */
export interface EventEncoder {
  /** @param events in the order of the file */
  encode(events: readonly ExportedEvent[]): Uint8Array;
  end(): Uint8Array;
}
