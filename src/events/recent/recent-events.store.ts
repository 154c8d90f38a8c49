import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database';
import { placeholders } from '../../database/row-store';

/** The key of a stored event within its project. */
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

/** Reads the stored state of listed messages. */
@Injectable()
export class RecentEventsStore {
  constructor(private readonly database: Database) {}

  /** The given ids whose projects have not been purged. */
  async storedProjects(projectIds: readonly number[]): Promise<Set<number>> {
    const rows: { id: number }[] =
      projectIds.length === 0
        ? []
        : await this.database.read.query(
            `SELECT id FROM projects WHERE id IN (${placeholders(projectIds.length)})`,
            [...projectIds],
          );
    return new Set(rows.map(({ id }) => id));
  }

  /** The active exclusions of these visitors. */
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

/** The key as text. It is unique, because visitor ids contain no line breaks. */
export const keyText = ({ visitorId, eventId }: EventKey): string => `${visitorId}\n${eventId}`;
