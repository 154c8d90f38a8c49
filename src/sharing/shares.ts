import { Injectable } from '@nestjs/common';
import { Micros, nowMicros } from '../common/time/clock';
import { DAY_MICROS } from '../common/time/days';
import { Config } from '../config/config';
import { finalAfter } from '../events/counting-rules';
import { shareUrl } from '../experiments/share-tokens.service';
import { SharedRow, ShareStore } from './share.store';

/** 32 bytes in base64url. */
const TOKEN = /^[\w-]{43}$/;

/** The experiment of a share token. */
export interface Shared {
  experimentId: number;
  token: string;
  /** Path of its page as seen by browsers: `/share/<token>`, below the server's path. */
  path: string;
  /**
   * Changes with whatever the page shows: definitions, results, and the passing of time. That is told by the hour, and
   * by the whole days that the experiment has been running, on which verdicts depend, and whether it is final.
   */
  version: string;
  /** When something last happened in it; null when nothing has. */
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

  /** @returns null for unknown tokens and for deleted experiments or projects */
  async find(token: string): Promise<Shared | null> {
    const row = TOKEN.test(token) ? await this.store.findByToken(token) : null;
    // A database may compare case-insensitively.
    return row?.share_token === token ? this.sharedIn(row) : null;
  }

  /** The share link of an experiment; null for deleted experiments or projects. */
  async ofExperiment(experimentId: number): Promise<(Shared & { shareUrl: string }) | null> {
    const row = await this.store.findByExperiment(experimentId);
    return row === null
      ? null
      : { ...(await this.sharedIn(row)), shareUrl: shareUrl(this.config.publicUrl, row.share_token) };
  }

  private async sharedIn(row: SharedRow): Promise<Shared> {
    const now = nowMicros();
    const running = row.status === 'running' ? await this.store.runningTime(row.id, now) : 0;
    const days = Math.floor(running / DAY_MICROS);
    const hour = Math.floor(now / HOUR_MICROS);
    const isFinal = now >= (finalAfter(row.archived_at) ?? Infinity);
    return {
      experimentId: row.id,
      token: row.share_token,
      path: new URL(shareUrl(this.config.publicUrl, row.share_token)).pathname,
      version: [row.settings, row.definitions, row.results, hour, days, isFinal].join('.'),
      lastEventAt: row.last_event_at,
    };
  }
}
