/** How long to go on when the server says to come back later. */
export interface RetryOptions {
  /** How often a request is sent again at most; 4 by default, 0 = never. */
  retries?: number;
  /**
   * The longest single wait; 60 by default, as long as the rate limit lasts, and 24 days at most. What asks for more is
   * answered as it is.
   */
  maxWaitSeconds?: number;
}

/** Timers count milliseconds in 31 bits. */
const LONGEST_WAIT_SECONDS = Math.floor((2 ** 31 - 1) / 1_000);

type Send = (request: Request) => Promise<Response>;

/** Sends requests again after 429, and after 503 and 409 where that cannot do something twice. */
export function retrying(send: Send, { retries = 4, maxWaitSeconds = 60 }: RetryOptions): Send {
  const longest = Math.min(maxWaitSeconds, LONGEST_WAIT_SECONDS);
  return async (request) => {
    for (let attempt = 0; ; attempt += 1) {
      const response = await send(request.clone());
      const seconds = waitSeconds(response, attempt);
      if (attempt >= retries || !mayBeSentAgain(request, response) || seconds > longest) {
        return response;
      }
      await response.body?.cancel();
      await pause(seconds * 1_000, request.signal);
    }
  };
}

/** A request that was refused with 429 did nothing. With 503 that is not known, and a key makes repeats harmless. */
function mayBeSentAgain({ method, headers }: Request, { status }: Response): boolean {
  const hasKey = headers.has('idempotency-key');
  return (
    status === 429 ||
    (status === 503 && (method !== 'POST' || hasKey)) ||
    // The first request with this key is still running.
    (status === 409 && hasKey)
  );
}

/** As the server says; otherwise 1, 2, 4 ... seconds. */
function waitSeconds(response: Response, attempt: number): number {
  const given = response.headers.get('retry-after') ?? '';
  if (/^\d+$/.test(given)) {
    return Number(given);
  }
  const moment = dateOf(given);
  return Number.isNaN(moment) ? 2 ** attempt : Math.max(0, Math.ceil((moment - Date.now()) / 1_000));
}

/** Milliseconds of a date in one of the three forms of RFC 9110, of which the oldest does not say that it is in GMT. */
function dateOf(text: string): number {
  if (!/^[A-Z][a-z]{2,8},? /.test(text)) {
    return NaN;
  }
  return Date.parse(text.endsWith(' GMT') ? text : `${text} GMT`);
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, milliseconds);
    if (signal.aborted) {
      stop();
    }
    signal.addEventListener('abort', stop, { once: true });
  });
}
