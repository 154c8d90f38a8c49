import type { ErrorCode } from '../errors/codes';

/** One reason why a submitted value is rejected. */
export interface Failure {
  /** Dotted path of the invalid part, relative to the checked value; '' for the value itself. */
  path: string;
  /** A sentence a person can act on, without the path. */
  message: string;
  /** The code of the response, if the reason has its own. */
  code?: ErrorCode;
}
