import { Injectable } from '@nestjs/common';
import type { Micros } from '../common/time/clock';
import { Database } from '../database/database';

/** A token with its user's data for requests. */
export interface VerifiedRow {
  id: number;
  user_id: number;
  /** Separated by commas. */
  abilities: string;
  rate_limit: number | null;
}

/** The database queries of requests with a token. */
@Injectable()
export class TokenStore {
  constructor(private readonly database: Database) {}

  /** The token with this hash; null when there is none, or its user is disabled. */
  async findByHash(hash: string): Promise<VerifiedRow | null> {
    const [row]: VerifiedRow[] = await this.database.read.query(
      `SELECT t.id, t.user_id, t.abilities, u.rate_limit FROM api_tokens t JOIN users u ON u.id = t.user_id
        WHERE t.token_hash = ? AND u.disabled_at IS NULL`,
      [hash],
    );
    return row ?? null;
  }

  /** Notes when a token was used last. */
  async noteUse(id: number, at: Micros): Promise<void> {
    await this.database.transaction((tx) =>
      tx.query('UPDATE api_tokens SET last_used_at = ? WHERE id = ?', [at, id]),
    );
  }
}
