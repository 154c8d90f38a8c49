import { Injectable } from '@nestjs/common';
import type { Micros } from '../common/time/clock';
import { Database, type Tx } from '../database/database';
import { placeholders } from '../database/row-store';
import { EventGates } from './event-gates.store';
import {
  Appending,
  EventLog,
  EventReader,
  EventRemoval,
  EventSpan,
  FindEvents,
  FirstExposure,
} from './event-log';
import { purgeEvents } from './event-purges.store';
import { EventWriter, ProjectEvents, Stored } from './event-writer';
import { EventKey, keyText } from './recent/recent-events.store';
import {
  EVENT_COLUMNS,
  EventRow,
  eventsOf,
  lastDeletedInStep,
  removeEventsOf,
  visitorsAfter,
} from './stored-events.store';

/** Events in the main database. */
@Injectable()
export class DatabaseEventLog extends EventLog {
  constructor(
    private readonly database: Database,
    private readonly writer: EventWriter,
    private readonly gates: EventGates,
  ) {
    super();
  }

  append(
    projects: readonly ProjectEvents[],
    {
      inTransaction = (work) => this.database.transaction(work),
      alongside = () => Promise.resolve(),
    }: Appending = {},
  ): Promise<Stored> {
    return inTransaction(async (tx) => {
      if (projects.some(({ events, links = [] }) => events.length + links.length > 0)) {
        await this.gates.pass(tx);
      }
      const stored = await this.writer.store(tx, projects);
      await alongside(tx, stored);
      return stored;
    });
  }

  visitorsAfter(projectId: number, after: string, limit: number): Promise<string[]> {
    return visitorsAfter(this.database.read, projectId, after, limit);
  }

  async firstExposures(
    projectId: number,
    experimentId: number | null,
    visitorIds: readonly string[],
  ): Promise<FirstExposure[]> {
    const rows: { visitor_id: string; first: number | string }[] = await this.database.read.query(
      `SELECT visitor_id, MIN(occurred_at) AS first FROM events
        WHERE project_id = ? AND visitor_id IN (${placeholders(visitorIds.length)})
          AND experiment_id IS NOT NULL AND (? IS NULL OR experiment_id = ?)
        GROUP BY visitor_id ORDER BY visitor_id`,
      [projectId, ...visitorIds, experimentId, experimentId],
    );
    return rows.map(({ visitor_id, first }) => ({ visitor_id, first: Number(first) }));
  }

  async spansOf(
    projectId: number,
    experimentId: number | null,
    visitorIds: readonly string[],
  ): Promise<EventSpan[]> {
    const who = `project_id = ? AND visitor_id IN (${placeholders(visitorIds.length)})`;
    const parameters = [projectId, ...visitorIds];
    const exposures: { id: number; first: number | string }[] = await this.database.read.query(
      `SELECT experiment_id AS id, MIN(occurred_at) AS first FROM events
        WHERE ${who} AND experiment_id IS NOT NULL AND (? IS NULL OR experiment_id = ?) GROUP BY experiment_id`,
      [...parameters, experimentId, experimentId],
    );
    const [{ last }]: { last: number | string }[] = await this.database.read.query(
      `SELECT MAX(occurred_at) AS last FROM events WHERE ${who}`,
      parameters,
    );
    return exposures.map(({ id, first }) => ({ experimentId: id, first: Number(first), last: Number(last) }));
  }

  async countOf(projectId: number, visitorIds: readonly string[], limit: number): Promise<number> {
    const [row]: { count: number | string }[] = await this.database.read.query(
      `SELECT COUNT(*) AS count FROM (SELECT event_id FROM events
        WHERE project_id = ? AND visitor_id IN (${placeholders(visitorIds.length)}) LIMIT ${limit}) AS own`,
      [projectId, ...visitorIds],
    );
    return Number(row?.count);
  }

  async storedAt(projectId: number, keys: readonly EventKey[]): Promise<ReadonlyMap<string, Micros>> {
    if (keys.length === 0) {
      return new Map();
    }
    const rows: { visitor_id: string; event_id: string; occurred_at: number | string }[] =
      await this.database.read.query(
        `SELECT visitor_id, event_id, occurred_at FROM events
          WHERE ${keys.map(() => '(project_id = ? AND visitor_id = ? AND event_id = ?)').join(' OR ')}`,
        keys.flatMap(({ visitorId, eventId }) => [projectId, visitorId, eventId]),
      );
    return new Map(
      rows.map((row) => [
        keyText({ visitorId: row.visitor_id, eventId: row.event_id }),
        Number(row.occurred_at),
      ]),
    );
  }

  async purge(projectId: number, experimentId: number | null): Promise<void> {
    await this.database.transaction((tx) => this.gates.waitForPassed(tx));
    await purgeEvents(this.database, projectId, experimentId, (tx) => this.gates.pass(tx));
  }

  override problem(): Promise<string | null> {
    return this.gates.problem();
  }
}

/** Events per page. Limits memory usage and statement duration. */
const PAGE = 2_000;

/** Reads events from the main database. */
@Injectable()
export class DatabaseEventReader extends EventReader {
  constructor(private readonly database: Database) {
    super();
  }

  reading<T>(work: (find: FindEvents) => Promise<T>): Promise<T> {
    return work(eventsOf);
  }

  async countEvents(projectId: number): Promise<number> {
    const [row]: { count: number | string }[] = await this.database.read.query(
      'SELECT COUNT(*) AS count FROM events WHERE project_id = ?',
      [projectId],
    );
    return Number(row?.count);
  }

  async *pages(projectId: number): AsyncGenerator<EventRow[]> {
    let page = await this.eventsAfter(projectId, '', '');
    for (let last = page.at(-1); last !== undefined; last = page.at(-1)) {
      yield page;
      page = await this.eventsAfter(projectId, last.visitor_id, last.event_id);
    }
  }

  /** Uses two statements, because MySQL cannot use an index range scan to compare pairs. */
  private async eventsAfter(projectId: number, visitorId: string, eventId: string): Promise<EventRow[]> {
    const rest = await this.events('visitor_id = ? AND event_id > ?', [projectId, visitorId, eventId], PAGE);
    return rest.length === PAGE
      ? rest
      : [...rest, ...(await this.events('visitor_id > ?', [projectId, visitorId], PAGE - rest.length))];
  }

  private events(where: string, parameters: (number | string)[], limit: number): Promise<EventRow[]> {
    return this.database.read.query(
      `SELECT ${EVENT_COLUMNS} FROM events WHERE project_id = ? AND ${where}
        ORDER BY visitor_id, event_id LIMIT ${limit}`,
      parameters,
    );
  }
}

/** Removes events from the main database, in the caller's transaction. */
@Injectable()
export class DatabaseEventRemoval extends EventRemoval {
  constructor(private readonly gates: EventGates) {
    super();
  }

  /** Does nothing, because `hold` throws if the events are in ClickHouse or are being moved there. */
  ready(): Promise<void> {
    return Promise.resolve();
  }

  /**
   * Visitor marks and result rows already prevent conflicts with attribution. Fails only if the events are in
   * ClickHouse or are being moved there.
   */
  hold(tx: Tx): Promise<void> {
    return this.gates.pass(tx);
  }

  removeVisitors(tx: Tx, projectId: number, visitorIds: readonly string[]): Promise<void> {
    return removeEventsOf(tx, projectId, visitorIds);
  }

  async removeOlder(tx: Tx, projectId: number, after: string, before: Micros): Promise<string | null> {
    const to = await lastDeletedInStep(tx, projectId, after);
    if (to !== null) {
      await tx.query(
        `DELETE FROM events
          WHERE project_id = ? AND visitor_id > ? AND visitor_id <= ? AND occurred_at < ? AND attributed = 1`,
        [projectId, after, to, before],
      );
    }
    return to;
  }

  carryOut(): Promise<boolean> {
    return Promise.resolve(false);
  }
}
