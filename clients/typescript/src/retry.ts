/** Limits for retries. */
export interface RetryOptions {
  /** Maximum number of retries of a request; 4 by default, 0 = never. */
  retries?: number;
  /**
   * Maximum wait before a retry, in seconds, up to 24 days. The default is 60, the length of a rate limit window. A
   * response with a longer `Retry-After` is returned without a retry.
   */
  maxWaitSeconds?: number;
}

/** Timers store their delay as a signed 32-bit number of milliseconds. */
const LONGEST_WAIT_SECONDS = Math.floor((2 ** 31 - 1) / 1_000);

type Send = (request: Request) => Promise<Response>;

/** Retries requests after 429. After 503 and 409, retries only requests that are safe to repeat. */
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

/**
 * Whether a request can be retried after this response. A request with status 429 had no effect, and neither has a dry
 * run. The effect of any other request with status 503 is unknown, so a POST is retried only with an idempotency key. A
 * change with `If-Match` is not retried: if the first request took effect, the retry would report it as a change by
 * somebody else.
 */
function mayBeSentAgain({ url, method, headers }: Request, { status }: Response): boolean {
  const hasKey = headers.has('idempotency-key');
  const isRepeatable = method !== 'POST' && !headers.has('if-match');
  return (
    status === 429 ||
    (status === 503 && (hasKey || isRepeatable || isDryRun(url))) ||
    // The first request with this key is still running.
    (status === 409 && hasKey)
  );
}

function isDryRun(url: string): boolean {
  const given = new URL(url).searchParams.get('dry_run') ?? '';
  return ['1', 'true'].includes(given);
}

/** The server's `Retry-After`, otherwise an exponential backoff of 1, 2, 4, ... seconds. */
function waitSeconds(response: Response, attempt: number): number {
  const given = response.headers.get('retry-after') ?? '';
  if (/^\d+$/.test(given)) {
    return Number(given);
  }
  const moment = dateOf(given);
  return Number.isNaN(moment) ? 2 ** attempt : Math.max(0, Math.ceil((moment - Date.now()) / 1_000));
}

/**
 * Parses a date in one of the three formats of RFC 9110. The oldest format contains no time zone; its dates are in GMT.
 * @returns milliseconds since 1970; NaN for other texts
 */
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
