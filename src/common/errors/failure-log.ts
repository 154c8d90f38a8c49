import type { LoggerService } from '@nestjs/common';
import { UnavailableError } from './api-errors';
import { refusalOf } from './refusal';

const OUTAGE_LINE_EVERY_MS = 1_000;

/**
 * Logs failures. During a database outage, all requests fail for the same reason, so the process logs only one line per
 * second, with the number of suppressed lines.
 */
export class FailureLog {
  private lastLine = Number.NEGATIVE_INFINITY;
  private omitted = 0;

  /** @param now a monotonic clock in milliseconds */
  constructor(private readonly now: () => number = () => performance.now()) {}

  /** @param fields the context of the failure */
  report(logger: Pick<LoggerService, 'error'>, error: unknown, fields: object, message: string): void {
    if (error instanceof UnavailableError && error.isLogged) {
      return;
    }
    if (refusalOf(error).status !== 503) {
      logger.error({ err: error, ...fields }, message);
      return;
    }
    if (this.now() - this.lastLine < OUTAGE_LINE_EVERY_MS) {
      this.omitted += 1;
      return;
    }
    const left = this.omitted === 0 ? {} : { omitted: this.omitted };
    this.lastLine = this.now();
    this.omitted = 0;
    logger.error({ err: error, ...fields, ...left }, message);
  }
}

/** The log of this process. */
export const failureLog = new FailureLog();

const LINE_EVERY_MS = 60_000;

/** The log messages for the beginning and the end of an outage. */
export interface OutageTexts {
  failing: string;
  working: string;
}

/**
 * Logs an outage of an external service: one line when it begins, at most one per minute while it lasts (with the
 * number of suppressed lines), and one when it ends. The lines contain the reason but no stack trace, which would add
 * nothing.
 */
export class OutageLog {
  /** When the outage began, in milliseconds of the monotonic clock; null while the service works. */
  private since: number | null = null;
  private isTold = false;
  private lastLine = Number.NEGATIVE_INFINITY;
  private omitted = 0;

  /** @param now a monotonic clock in milliseconds */
  constructor(
    private readonly logger: Pick<LoggerService, 'error' | 'log'>,
    private readonly texts: OutageTexts,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Call this when a request to the service has failed. */
  failed(reason: string): void {
    const now = this.now();
    this.since ??= now;
    if (now - this.lastLine < LINE_EVERY_MS) {
      this.omitted += 1;
      return;
    }
    const left = this.omitted === 0 ? {} : { omitted: this.omitted };
    [this.isTold, this.lastLine, this.omitted] = [true, now, 0];
    this.logger.error({ msg: this.texts.failing, reason, ...left });
  }

  /**
   * Call this when a request to the service has succeeded. The end of an outage is logged only if its beginning was.
   */
  worked(): void {
    if (this.since === null) {
      return;
    }
    const seconds = Math.round((this.now() - this.since) / 1_000);
    this.since = null;
    if (this.isTold) {
      this.isTold = false;
      this.logger.log({ msg: this.texts.working, seconds });
    }
  }
}
