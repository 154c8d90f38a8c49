import { ApiError } from '../../common/errors/api-errors';
import { type Hit, WINDOW_MS } from './rate-window';

/** Seconds until a window ends, for `Retry-After`: at least 1, at most the length of a window. */
export const secondsLeft = ({ resetAt }: Pick<Hit, 'resetAt'>): number =>
  Math.min(WINDOW_MS / 1000, Math.max(1, Math.ceil((resetAt - Date.now()) / 1000)));

/** The limit of a window is exceeded (429). The headers contain the limit and the start of the next window. */
export class TooManyAttemptsError extends ApiError {
  constructor(
    limit: number,
    window: Pick<Hit, 'resetAt'>,
    code: 'RATE_LIMITED' | 'EVENTS_RATE_LIMITED' = 'RATE_LIMITED',
  ) {
    super(
      code,
      undefined,
      {},
      {
        'retry-after': String(secondsLeft(window)),
        'x-ratelimit-limit': String(limit),
        'x-ratelimit-remaining': '0',
        'x-ratelimit-reset': String(Math.ceil(window.resetAt / 1000)),
      },
    );
  }
}
