import { createEvents } from '../../src/events/clickhouse/table.store';
import type { EventPosition } from '../../src/events/move/event-moves.store';
import { movedEvents } from '../../src/events/move/moved-events.store';
import { describeWithClickHouse, TestClickHouse } from '../support/clickhouse';
import { changeClickHouse, inClickHouse } from '../support/clickhouse-scene';

const EVENTS = 200_000;
const PROJECT_EVENTS = EVENTS / 2;
/**
 * Maximum number of rows to read for a small range. ClickHouse reads whole granules of 8,192 rows: the two granules at
 * the ends of the range, and their neighbours.
 */
const FEW_ROWS = 4 * 8_192;

const text = (number: number): string => String(number).padStart(6, '0');

/** The position of an event. Visitors have five events each, and the first half of all events is in project 1. */
const positionOf = (index: number): EventPosition => ({
  project_id: 1 + Math.floor(index / PROJECT_EVENTS),
  visitor_id: text(Math.floor((index % PROJECT_EVENTS) / 5)),
  event_id: text(index),
});

describeWithClickHouse('moved events', () => {
  let clickhouse: TestClickHouse;

  beforeAll(async () => {
    clickhouse = await TestClickHouse.start();
    await changeClickHouse(clickhouse, createEvents(1));
    await changeClickHouse(
      clickhouse,
      `INSERT INTO events (project_id, visitor_id, event_id, batch_id, occurred_at, device)
       SELECT 1 + intDiv(number, ${PROJECT_EVENTS}), leftPad(toString(intDiv(number % ${PROJECT_EVENTS}, 5)), 6, '0'),
              leftPad(toString(number), 6, '0'), 1, 1767225600000000, 0
         FROM numbers(${EVENTS})`,
    );
  });
  afterAll(() => clickhouse?.remove());

  it.each([
    ['in one project', 50_001, 50_998],
    ['of one visitor', 50_001, 50_003],
    ['in two projects', PROJECT_EVENTS - 500, PROJECT_EVENTS + 499],
    ['up to the end of a project', PROJECT_EVENTS - 500, PROJECT_EVENTS - 1],
    ['up to the last', EVENTS - 1_000, null],
  ])('%s are read without other events', async (_, after, to) => {
    const query = movedEvents(positionOf(after), to === null ? null : positionOf(to));
    const rows = await inClickHouse<EventPosition>(clickhouse, query);
    const indices = Array.from({ length: (to ?? EVENTS - 1) - after }, (_, offset) => after + 1 + offset);
    expect(rows.map(({ event_id }) => event_id)).toEqual(indices.map(text));
    const [{ rows: read }] = await inClickHouse<{ rows: number | string }>(
      clickhouse,
      `EXPLAIN ESTIMATE ${query}`,
    );
    expect(Number(read)).toBeLessThanOrEqual(FEW_ROWS);
  });
});
