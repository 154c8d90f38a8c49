/** How long to go on when the server says to come back later. */
export interface RetryOptions {
  /** How often a request is sent again at most; 4 by default, 0 = never. */
  retries?: number;
  /** The longest single wait; 60 by default, as long as the rate limit lasts. What asks for more is answered as it is. */
  maxWaitSeconds?: number;
}

type Send = (request: Request) => Promise<Response>;

/** Sends requests again after 429, and after 503 and 409 where that cannot do something twice. */
export function retrying(send: Send, { retries = 4, maxWaitSeconds = 60 }: RetryOptions): Send {
  return async (request) => {
    for (let attempt = 0; ; attempt += 1) {
      const response = await send(request.clone());
      const seconds = waitSeconds(response, attempt);
      if (attempt >= retries || !mayBeSentAgain(request, response) || seconds > maxWaitSeconds) {
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
  return /^\d+$/.test(given) ? Number(given) : 2 ** attempt;
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
