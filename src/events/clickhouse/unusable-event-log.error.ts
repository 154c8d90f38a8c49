import { InternallyUnavailableError } from '../../common/errors/api-errors';

const RETRY_AFTER_SECONDS = 30;

/** ClickHouse must not be used with this database until somebody does what the message says. */
export class UnusableEventLogError extends InternallyUnavailableError {
  constructor(message: string) {
    super(RETRY_AFTER_SECONDS, message);
  }
}
