import { Injectable } from '@nestjs/common';
import { Database } from '../database/database';
import { EventReader, FindEvents } from './event-log';
import { EVENT_COLUMNS, EventRow, eventsOf } from './stored-events.store';

/** Events per page, which bounds memory and the duration of a statement. */
const PAGE = 2_000;

/** Reads events in the main database. */
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

  /** Two statements, because MySQL has no range for a comparison of pairs. */
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
