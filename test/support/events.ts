import { randomUUID } from 'node:crypto';
import { Attributor } from '../../src/events/attributor';
import type { TestApi } from './api';
import type { Answer } from './client';

export type MessageFields = Record<string, unknown>;

/** A message of a batch with what it must have; the fields given come on top. */
export const message = (anonymousId: string, fields: MessageFields): MessageFields => ({
  type: 'track',
  anonymousId,
  messageId: randomUUID(),
  timestamp: new Date().toISOString(),
  ...fields,
});

export const exposure = (
  visitor: string,
  experimentId: number,
  variationId: number,
  fields: MessageFields = {},
): MessageFields =>
  message(visitor, {
    event: 'Experiment Viewed',
    properties: { experiment_id: experimentId, variation_id: variationId },
    ...fields,
  });

export const conversion = (
  visitor: string,
  goal: string,
  value?: unknown,
  fields: MessageFields = {},
): MessageFields => message(visitor, { event: goal, properties: { value }, ...fields });

export const pageView = (visitor: string, url: string, fields: MessageFields = {}): MessageFields =>
  message(visitor, { type: 'page', properties: { url }, ...fields });

/** Sends a batch with a client key, and asks for the reasons of what is rejected. */
export function send(
  api: TestApi,
  clientKey: string,
  messages: unknown[],
  fields: MessageFields = {},
  headers: Record<string, string> = {},
): Promise<Answer<any>> /* eslint-disable-line @typescript-eslint/no-explicit-any -- as in bodies */ {
  const body = { writeKey: clientKey, sentAt: new Date().toISOString(), batch: messages, ...fields };
  return api.as(null).post('//v1/batch?strict=1', body, headers);
}

/** Brings the results up to date. */
export const attributeAll = (api: TestApi): Promise<void> =>
  api.app.get(Attributor, { strict: false }).drain();

export interface StoredRow {
  visitor_id: string;
  event_id: string;
  occurred_at: number;
  experiment_id: number | null;
  variation_id: number | null;
  goal_id: number | null;
  value: number | null;
  device: number;
}

/** What the event table holds, in the order of its key. */
export async function storedEvents(api: TestApi): Promise<StoredRow[]> {
  const rows: (Omit<StoredRow, 'occurred_at' | 'value'> & Record<'occurred_at' | 'value', string | null>)[] =
    await api.database.read.query(
      `SELECT visitor_id, event_id, occurred_at, experiment_id, variation_id, goal_id, value, device
       FROM events ORDER BY project_id, visitor_id, event_id`,
    );
  return rows.map((row) => ({
    ...row,
    occurred_at: Number(row.occurred_at),
    value: row.value === null ? null : Number(row.value),
  }));
}

/** The cells that are shown, as text, in one order. */
export async function shownCells(api: TestApi): Promise<string[]> {
  const rows: Record<string, unknown>[] = await api.database.read.query(
    `SELECT c.experiment_id, goal_id, variation_id, device, entry_day, event_day,
            participants, converters, conversions, value, value_squared
       FROM result_cells c JOIN experiment_results r
         ON r.experiment_id = c.experiment_id AND r.generation = c.generation`,
  );
  return rows
    .map((row) =>
      Object.entries(row)
        .map(([name, value]) => `${name}=${String(value)}`)
        .join(' '),
    )
    .sort();
}
