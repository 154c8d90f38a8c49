import { Injectable } from '@nestjs/common';
import { Database } from '../database/database';
import { placeholders } from '../database/row-store';

/** The project of a client key, with its collection settings. */
export interface KeyedProject {
  projectId: number;
  /** Null = all origins. */
  allowedOrigins: readonly string[] | null;
  /** Null = the server's default. */
  eventsPerMinute: number | null;
}

interface KeyRow {
  client_key: string;
  id: number;
  allowed_origins: string | null;
  events_per_minute: number | null;
}

/** Reads the projects of client keys. */
@Injectable()
export class ClientKeyStore {
  constructor(private readonly database: Database) {}

  /** Returns projects by client key. Omits unknown keys and deleted projects. */
  async read(clientKeys: readonly string[]): Promise<ReadonlyMap<string, KeyedProject>> {
    const rows: KeyRow[] = await this.database.delivery.query(
      `SELECT p.client_key, p.id, s.allowed_origins, s.events_per_minute
         FROM projects p JOIN project_settings s ON s.id = p.id
        WHERE p.client_key IN (${placeholders(clientKeys.length)}) AND p.deleted_at IS NULL`,
      [...clientKeys],
    );
    return new Map(rows.map((row) => [row.client_key, toProject(row)]));
  }
}

const toProject = ({ id, allowed_origins, events_per_minute }: KeyRow): KeyedProject => ({
  projectId: id,
  allowedOrigins: allowed_origins === null ? null : (JSON.parse(allowed_origins) as string[]),
  eventsPerMinute: events_per_minute,
});
