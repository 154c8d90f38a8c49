import { Injectable } from '@nestjs/common';
import { isSecret } from '../common/text/secrets';
import { DAY_MICROS, Micros, nowInSeconds } from '../common/time/clock';
import { Config } from '../config/config';
import { finalAfter } from '../events/counting-rules';
import { shareUrl, shownLink } from '../experiments/share-link.record';
import { SharedRow, ShareStore } from './share.store';

/** The experiment that a share token gives access to. */
export interface Shared {
  experimentId: number;
  token: string;
  /**
   * Path of the share page as browsers see it: `/share/<token>`, below the server's path; null if sharing is switched
   * off.
   */
  path: string | null;
  /**
   * A version that changes with everything that the page shows: definitions, results, and time. It also changes every
   * hour, with each whole day of runtime (on which verdicts depend), and when the result becomes final.
   */
  version: string;
  /** Time of the last event; null if there is none. */
  lastEventAt: Micros | null;
}

const HOUR_MICROS = DAY_MICROS / 24;

/** Resolves share tokens. */
@Injectable()
export class Shares {
  constructor(
    private readonly store: ShareStore,
    private readonly config: Config,
  ) {}

  /** @returns null for unknown tokens, experiments that are not shared, and deleted experiments or projects */
  async find(token: string): Promise<Shared | null> {
    const row = isSecret(token) ? await this.store.findByToken(token) : null;
    // Compares the token again, because the database may compare case-insensitively.
    return row?.share_token === token && row.shared ? this.sharedIn(row) : null;
  }

  /**
   * An experiment whose results are shown to its team, whether shared or not; null for deleted experiments or projects.
   */
  async ofExperiment(experimentId: number): Promise<(Shared & { shareUrl: string | null }) | null> {
    const row = await this.store.findByExperiment(experimentId);
    if (row === null) {
      return null;
    }
    const { share_url } = shownLink(this.config.publicUrl, { ...row, shared: Boolean(row.shared) });
    return { ...(await this.sharedIn(row)), shareUrl: share_url };
  }

  private async sharedIn(row: SharedRow): Promise<Shared> {
    // In whole seconds, like the results. Otherwise, the version could be ahead of the results within a second, and a
    // page that contradicts them would stay cached for up to an hour.
    const now = nowInSeconds();
    const running = row.status === 'running' ? await this.store.runningTime(row.id, now) : 0;
    const days = Math.floor(running / DAY_MICROS);
    const hour = Math.floor(now / HOUR_MICROS);
    const isFinal = now >= (finalAfter(row.archived_at) ?? Infinity);
    return {
      experimentId: row.id,
      token: row.share_token,
      path: row.shared ? new URL(shareUrl(this.config.publicUrl, row.share_token)).pathname : null,
      version: [row.settings, row.definitions, row.results, hour, days, isFinal].join('.'),
      lastEventAt: row.last_event_at,
    };
  }
}
