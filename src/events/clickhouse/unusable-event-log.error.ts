import { InternallyUnavailableError } from '../../common/errors/api-errors';

const RETRY_AFTER_SECONDS = 30;

/** ClickHouse must not be used with this database until an operator follows the message. */
export class UnusableEventLogError extends InternallyUnavailableError {
  constructor(message: string) {
    super(RETRY_AFTER_SECONDS, message);
  }
}
