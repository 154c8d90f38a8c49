import { setTimeout as sleep } from 'node:timers/promises';
import type { ServerProcess } from './server-process';

/* Simulates attackers who know the client key of a project. */

/**
 * Shorter than the time for which a successful attack would block the server, but longer than delays on a busy machine.
 */
const LIVE_DEADLINE_MS = 5_000;

/** Sends a request. @returns the response, with its body as text */
export async function send(
  { address }: ServerProcess,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
  method = 'POST',
): Promise<{ status: number; text: string }> {
  const answer = await fetch(`${address}${path}`, {
    method,
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, text: await answer.text() };
}

/** Sends `count` requests, as many in parallel as a browser would. @returns the number of responses per status */
export async function hammer(
  count: number,
  request: (index: number) => Promise<{ status: number }>,
): Promise<Record<number, number>> {
  const statuses: Record<number, number> = {};
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < count) {
      const { status } = await request(next++);
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: 6 }, work));
  return statuses;
}

/** Polls the liveness check until `work` is done. Fails if a check takes longer than the deadline. */
export async function whileLive<T>({ address }: ServerProcess, work: Promise<T>): Promise<T> {
  let isDone = false;
  const done = work.finally(() => (isDone = true));
  done.catch(() => undefined);
  while (!isDone) {
    const { status } = await fetch(`${address}/health/live`, {
      signal: AbortSignal.timeout(LIVE_DEADLINE_MS),
    });
    expect(status).toBe(200);
    await Promise.race([sleep(20), done.catch(() => undefined)]);
  }
  return done;
}
