import { Injectable } from '@nestjs/common';
import type { Micros } from '../../common/time/clock';
import { numberOrNull } from '../../database/columns';
import { Database } from '../../database/database';

/** A token with the user data that requests need. */
export interface VerifiedRow {
  id: number;
  user_id: number;
  /** Comma-separated. */
  abilities: string;
  rate_limit: number | null;
  /** Null for a token that does not expire. */
  expires_at: Micros | null;
  /** Null for a token that is not limited to projects. */
  project_ids: number[] | null;
}

type StoredRow = Omit<VerifiedRow, 'expires_at' | 'project_ids'> & {
  expires_at: number | string | null;
  project_ids: string | null;
};

/** A project to which a token can be limited. */
export interface TokenProject {
  id: number;
  name: string;
  team: string;
}

/** The database queries for tokens. */
@Injectable()
export class TokenStore {
  constructor(private readonly database: Database) {}

  /** The token with this hash; null if there is none or its user is disabled. */
  async findByHash(hash: string): Promise<VerifiedRow | null> {
    const [row]: StoredRow[] = await this.database.read.query(
      `SELECT t.id, t.user_id, t.abilities, t.expires_at, t.project_ids, u.rate_limit
         FROM api_tokens t JOIN users u ON u.id = t.user_id
        WHERE t.token_hash = ? AND u.disabled_at IS NULL`,
      [hash],
    );
    return row === undefined
      ? null
      : {
          ...row,
          expires_at: numberOrNull(row.expires_at),
          project_ids: row.project_ids === null ? null : (JSON.parse(row.project_ids) as number[]),
        };
  }

  /** The projects that a user may see, sorted by team and name. */
  projectsOf(userId: number): Promise<TokenProject[]> {
    return this.database.read.query(
      `SELECT p.id, p.name, t.name AS team FROM memberships m
         JOIN teams t ON t.id = m.team_id
         JOIN projects p ON p.team_id = m.team_id AND p.deleted_at IS NULL
        WHERE m.user_id = ? ORDER BY t.name_search, t.id, p.name_search, p.id`,
      [userId],
    );
  }

  /** Stores the time of the last use. */
  async noteUse(id: number, at: Micros): Promise<void> {
    await this.database.transaction((tx) =>
      tx.query('UPDATE api_tokens SET last_used_at = ? WHERE id = ?', [at, id]),
    );
  }
}
