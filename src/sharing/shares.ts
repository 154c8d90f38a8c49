import { Injectable } from '@nestjs/common';
import type { Micros } from '../common/time/clock';
import { Database } from '../database/database';
import { RowStore } from '../database/row-store';
import { filledShares } from '../variations/variation-shares';
import { Variation } from '../variations/variation.entity';

/** 32 bytes in base64url. */
const TOKEN = /^[\w-]{43}$/;

/** The experiment that a share token leads to. */
export interface Shared {
  experimentId: number;
  /** When something last happened in it; null when nothing has. */
  lastEventAt: Micros | null;
}

interface Row {
  id: number;
  share_token: string;
  last_event_at: number | string | null;
}

/** Finds what share tokens lead to. */
@Injectable()
export class Shares {
  private readonly variations: RowStore<Variation>;

  constructor(private readonly database: Database) {
    this.variations = new RowStore(database, Variation);
  }

  /** @returns null for unknown tokens, and for experiments that are in the trash or whose project is */
  async find(token: string): Promise<Shared | null> {
    if (!TOKEN.test(token)) {
      return null;
    }
    const [row]: Row[] = await this.database.read.query(
      `SELECT e.id, e.share_token, r.last_event_at
         FROM experiments e
         JOIN projects p ON p.id = e.project_id
         LEFT JOIN experiment_results r ON r.experiment_id = e.id
        WHERE e.share_token = ? AND e.deleted_at IS NULL AND p.deleted_at IS NULL`,
      [token],
    );
    // A database may take letters of either case for the same.
    return row?.share_token === token
      ? {
          experimentId: row.id,
          lastEventAt: row.last_event_at === null ? null : Number(row.last_event_at),
        }
      : null;
  }

  /** Which part of the participants each variation of an experiment should have, as a fraction. */
  async expectedShares(experimentId: number): Promise<ReadonlyMap<number, number>> {
    const rows = await this.variations.select(
      this.database.read,
      ['id', 'traffic_allocation'],
      'experiment_id = ?',
      [experimentId],
    );
    const shares = filledShares(rows.map((row) => row.traffic_allocation));
    return new Map(rows.map(({ id }, index) => [id, shares[index]]));
  }
}
