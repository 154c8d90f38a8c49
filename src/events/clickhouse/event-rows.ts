import type { VisitorEvent } from '../attribution';
import type { EventRow } from '../stored-events.store';

/** A row of the table `events` in ClickHouse. */
export interface EventLogRow {
  project_id: number;
  visitor_id: string;
  event_id: string;
  batch_id: number;
  occurred_at: number;
  /** Arrival time; 0 unless the event arrived more than 72 hours late. */
  arrived_at: number;
  /** For a conversion, experiment, variation and phase are 0. */
  experiment_id: number;
  variation_id: number;
  phase: number;
  /** 0 for an exposure. */
  goal_id: number;
  value: number | null;
  device: number;
}

export const toEventLogRow = (
  projectId: number,
  event: VisitorEvent & { visitor_id: string },
): Omit<EventLogRow, 'batch_id'> => ({
  project_id: projectId,
  visitor_id: event.visitor_id,
  event_id: event.event_id,
  occurred_at: event.occurred_at,
  arrived_at: event.arrived_at ?? 0,
  experiment_id: event.experiment_id ?? 0,
  variation_id: event.variation_id ?? 0,
  phase: event.phase ?? 0,
  goal_id: event.goal_id ?? 0,
  value: event.value,
  device: event.device,
});

/** The event as the main database would store it. */
export const toEventRow = (row: Omit<EventLogRow, 'project_id' | 'batch_id'>): EventRow => ({
  visitor_id: row.visitor_id,
  event_id: row.event_id,
  occurred_at: row.occurred_at,
  arrived_at: row.arrived_at || null,
  experiment_id: row.experiment_id || null,
  variation_id: row.variation_id || null,
  phase: row.phase || null,
  goal_id: row.goal_id || null,
  value: row.value,
  device: row.device,
});
