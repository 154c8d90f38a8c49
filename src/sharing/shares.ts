import { Injectable } from '@nestjs/common';
import type { Micros } from '../common/time/clock';
import { Config } from '../config/config';
import { Database } from '../database/database';
import { RowStore } from '../database/row-store';
import { shareUrl } from '../experiments/share-tokens.service';
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

  constructor(
    private readonly database: Database,
    private readonly config: Config,
  ) {
    this.variations = new RowStore(database, Variation);
  }

  /** @returns null for unknown tokens, and for experiments that are in the trash or whose project is */
  async find(token: string): Promise<Shared | null> {
    const row = TOKEN.test(token) ? await this.live('e.share_token = ?', token) : undefined;
    // A database may take letters of either case for the same.
    return row?.share_token === token ? sharedIn(row) : null;
  }

  /** How an experiment is shared; null for one that is in the trash or whose project is. */
  async ofExperiment(experimentId: number): Promise<(Shared & { shareUrl: string }) | null> {
    const row = await this.live('e.id = ?', experimentId);
    return row === undefined
      ? null
      : { ...sharedIn(row), shareUrl: shareUrl(this.config.publicUrl, row.share_token) };
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

  private async live(condition: string, parameter: string | number): Promise<Row | undefined> {
    const [row]: Row[] = await this.database.read.query(
      `SELECT e.id, e.share_token, r.last_event_at
         FROM experiments e
         JOIN projects p ON p.id = e.project_id
         LEFT JOIN experiment_results r ON r.experiment_id = e.id
        WHERE ${condition} AND e.deleted_at IS NULL AND p.deleted_at IS NULL`,
      [parameter],
    );
    return row;
  }
}

const sharedIn = ({ id, last_event_at }: Row): Shared => ({
  experimentId: id,
  lastEventAt: last_event_at === null ? null : Number(last_event_at),
});
