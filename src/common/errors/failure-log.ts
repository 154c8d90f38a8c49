import type { LoggerService } from '@nestjs/common';
import { UnavailableError } from './api-errors';
import { refusalOf } from './refusal';

const OUTAGE_LINE_EVERY_MS = 1_000;

/**
 * Logs failures. During a database outage all requests fail for the same reason. The process then logs one line per
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
