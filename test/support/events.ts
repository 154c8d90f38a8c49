import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { COUNTS, EXACT_SUMS } from '../../src/events/attribution';
import { Attribution } from '../../src/events/attribution-steps';
import { RebuildService } from '../../src/events/rebuild.service';
import type { TestApi } from './api';
import type { Answer } from './client';

export type MessageFields = Record<string, unknown>;

/** A batch message with all required fields, and with the given fields. */
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

/**
 * Pause after each batch. Client times have millisecond precision, so batches sent in the same millisecond would have
 * no defined order.
 */
const APART_MS = 2;

/** Sends a batch with a client key, and requests the reasons for rejections. */
export async function send(
  api: TestApi,
  clientKey: string,
  messages: unknown[],
  fields: MessageFields = {},
  headers: Record<string, string> = {},
): Promise<Answer<any>> /* eslint-disable-line @typescript-eslint/no-explicit-any -- as in bodies */ {
  const body = { writeKey: clientKey, sentAt: new Date().toISOString(), batch: messages, ...fields };
  const answer = await api.as(null).post('//v1/batch?strict=1', body, headers);
  await sleep(APART_MS);
  return answer;
}

/** Attributes all events, and rebuilds results whose counting rules have changed. */
export async function attributeAll(api: TestApi): Promise<void> {
  await api.app.get(Attribution, { strict: false }).drain();
  const rebuilds = api.app.get(RebuildService, { strict: false });
  while (await rebuilds.follow()) {
    // All work happens in the condition, one step at a time.
  }
}

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

/** The rows of the event table, in key order. */
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

/** The current cells as sorted text. Asserts that the stored sums over event days match them. */
export async function shownCells(api: TestApi): Promise<string[]> {
  const [cells, sums] = await api.database.snapshot(async () => [
    await cellsIn(api, 'result_cells', ['event_day', ...FIGURES]),
    await cellsIn(api, 'entry_cells', FIGURES),
  ]);
  expect(sums.map(asText).sort()).toEqual(overEventDays(cells).map(asText).sort());
  return cells.map(asText).sort();
}

type CellRow = Record<string, unknown>;

const ENTRY = ['experiment_id', 'goal_id', 'variation_id', 'phase', 'device', 'entry_day'];
const FIGURES = [...COUNTS, ...EXACT_SUMS];

const asText = (row: CellRow): string =>
  Object.entries(row)
    .map(([name, value]) => `${name}=${String(value)}`)
    .join(' ');

const cellsIn = ({ database }: TestApi, table: string, columns: readonly string[]): Promise<CellRow[]> =>
  database.read.query(
    `SELECT ${[...ENTRY, ...columns].map((column) => `c.${column}`).join(', ')}
       FROM ${table} c JOIN experiment_results r
         ON r.experiment_id = c.experiment_id AND r.generation = c.generation`,
  );

/** Sums the cells over event days, as simply as possible. */
function overEventDays(cells: readonly CellRow[]): CellRow[] {
  const sums = new Map<string, CellRow>();
  for (const cell of cells) {
    const entry = Object.fromEntries(ENTRY.map((name) => [name, cell[name]]));
    const sum = sums.get(asText(entry)) ?? {
      ...entry,
      ...Object.fromEntries(FIGURES.map((name) => [name, 0n])),
    };
    for (const name of FIGURES) {
      sum[name] = (sum[name] as bigint) + BigInt(cell[name] as string | number);
    }
    sums.set(asText(entry), sum);
  }
  return [...sums.values()];
}
