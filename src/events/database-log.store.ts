import { Injectable } from '@nestjs/common';
import type { Micros } from '../common/time/clock';
import { Database } from '../database/database';
import { placeholders } from '../database/row-store';
import { Appending, EventLog, EventSpan, FirstExposure } from './event-log';
import { purgeEvents } from './event-purges.store';
import { EventWriter, ProjectEvents, Stored } from './event-writer';
import { EventGates } from './event-gates.store';
import { EventKey, keyText } from './recent/recent-events.store';
import { visitorsAfter } from './stored-events.store';

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
