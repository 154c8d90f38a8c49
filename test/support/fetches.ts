import type { GossetError } from '../../clients/typescript/src/index';

/* Replacements for `fetch` and timers, for testing the typed client. */

/** A fetch that records requests and replaces some responses, with or without sending the request to the server. */
export function intercepting(
  replace: (sent: number, request: Request) => Response | undefined,
  reaches = false,
) {
  const requests: Request[] = [];
  const fetch = async (request: Request): Promise<Response> => {
    requests.push(request.clone());
    const instead = replace(requests.length, request);
    if (instead === undefined) {
      return globalThis.fetch(request);
    }
    if (reaches) {
      await globalThis.fetch(request);
    }
    return instead;
  };
  return { fetch, requests };
}

export const later = (status: number, seconds = '0'): Response =>
  Response.json({ message: 'Later' }, { status, headers: { 'retry-after': seconds } });

export const failureOf = (promise: Promise<unknown>): Promise<GossetError> =>
  promise.then(
    () => Promise.reject(new Error('It was not refused.')),
    (error: unknown) => error as GossetError,
  );

/**
 * Skips timers of 1 to 60 seconds: calls their callbacks once `meanwhile` is done.
 * @returns the skipped waits in seconds
 */
export function skipWaiting(meanwhile: () => Promise<unknown> = () => Promise.resolve()): number[] {
  const original = globalThis.setTimeout;
  const waits: number[] = [];
  const timer = (callback: () => void, milliseconds = 0): unknown => {
    if (milliseconds < 1_000 || milliseconds > 60_000) {
      return original(callback, milliseconds);
    }
    waits.push(milliseconds / 1_000);
    void meanwhile().then(callback);
    return undefined;
  };
  jest.spyOn(globalThis, 'setTimeout').mockImplementation(timer as typeof setTimeout);
  return waits;
}
