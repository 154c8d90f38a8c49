import { v7 as uuid } from 'uuid';

/* Events for benchmarks. Each visitor has one exposure and four conversions at the same time. */

export const BATCH = 20;
const PER_VISITOR = 5;
const EVENT_COLUMNS =
  'project_id, visitor_id, event_id, occurred_at, experiment_id, variation_id, goal_id, value, device, attributed';
const EVENT_TUPLE = '(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)';

let made = 0;

/** A batch of messages from new visitors, as JSON. @param visitorId creates visitor ids; ascending by default */
export function batchText({ clientKey, experiment }, visitorId = uuid) {
  const batch = [];
  for (let index = 0; index < BATCH; index += PER_VISITOR) {
    const anonymousId = visitorId();
    const context = { device: { type: made % 2 === 0 ? 'mobile' : 'desktop' } };
    const track = (event, properties) => ({
      type: 'track',
      event,
      anonymousId,
      messageId: uuid(),
      timestamp: new Date().toISOString(),
      properties,
      context,
    });
    const variation = experiment.variations[made % experiment.variations.length];
    batch.push(track('Experiment Viewed', { experiment_id: experiment.id, variation_id: variation.id }));
    for (let count = 1; count < PER_VISITOR; count += 1) {
      batch.push(track('order', { value: (made % 500) / 4 }));
    }
    made += 1;
  }
  return JSON.stringify({ writeKey: clientKey, sentAt: new Date().toISOString(), batch });
}

/** The `events` rows of a batch, without the column `attributed`. */
export function rowsOf({ project, experiment, goal }, body) {
  const received = Date.now() * 1000;
  return JSON.parse(body).batch.map(({ event, anonymousId, messageId, properties }) =>
    event === 'order'
      ? [project, anonymousId, messageId, received, null, null, goal.id, properties.value * 10_000, 0]
      : [project, anonymousId, messageId, received, experiment.id, properties.variation_id, null, null, 0],
  );
}

/** Inserts rows in one transaction. Unless the rows are attributed, it also marks their visitors for attribution. */
export async function insertRows(store, rows, isSqlite, isAttributed = false) {
  const ignore = (column) =>
    isSqlite ? 'ON CONFLICT DO NOTHING' : `ON DUPLICATE KEY UPDATE ${column} = ${column}`;
  const visitors = [...new Map(rows.map((row) => [row[1], [row[0], row[1]]])).values()];
  const values = (list, tuple) => `VALUES ${list.map(() => tuple).join(', ')}`;
  await store.transaction(async (tx) => {
    if (!isAttributed) {
      await tx.run(
        `INSERT INTO dirty_visitors (project_id, visitor_id) ${values(visitors, '(?, ?)')} ${ignore('project_id')}`,
        visitors.flat(),
      );
    }
    await tx.run(
      `INSERT INTO events (${EVENT_COLUMNS}) ${values(rows, EVENT_TUPLE)} ${ignore('project_id')}`,
      rows.flatMap((row) => [...row, Number(isAttributed)]),
    );
  });
}
