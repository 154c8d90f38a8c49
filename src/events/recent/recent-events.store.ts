import { Injectable } from '@nestjs/common';
import type { Micros } from '../../common/time/clock';
import { Database } from '../../database/database';
import { placeholders } from '../../database/row-store';

/** The key of a stored event in its project. */
export interface EventKey {
  visitorId: string;
  eventId: string;
}

/** An exclusion of a visitor. */
export interface Excluded {
  visitor_id: string;
  /** Null = all experiments. */
  experiment_id: number | null;
}

/** What is stored of messages in the list. */
@Injectable()
export class RecentEventsStore {
  constructor(private readonly database: Database) {}

  /** When the stored events happened, by `keyText`. */
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

  /** The exclusions of these visitors that are in force. */
  async excluded(projectId: number, visitorIds: readonly string[]): Promise<Excluded[]> {
    return visitorIds.length === 0
      ? []
      : this.database.read.query(
          `SELECT visitor_id, experiment_id FROM excluded_visitors
            WHERE project_id = ? AND wanted = 1 AND visitor_id IN (${placeholders(visitorIds.length)})`,
          [projectId, ...visitorIds],
        );
  }
}

/** Visitor ids have no line breaks. */
export const keyText = ({ visitorId, eventId }: EventKey): string => `${visitorId}\n${eventId}`;
