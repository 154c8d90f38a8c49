import { AsyncLocalStorage } from 'node:async_hooks';
import type { Actor } from '../access/actor';

/** The user for whom a page calls the API; null as soon as a request has taken it. */
interface Caller {
  actor: Actor | null;
}

/**
 * A context of the process, not part of any request. Requests from the network start at their connection, outside of
 * it, so nothing that a client sends can set it.
 */
const callers = new AsyncLocalStorage<Caller>();

/** Sends one API request on behalf of a signed-in user. Only the first request inside `send` is authenticated. */
export function callAsUser<T>(actor: Actor, send: () => PromiseLike<T>): Promise<T> {
  // `inject` starts its request only when it is awaited, which must happen inside the context.
  return callers.run({ actor }, async () => await send());
}

/** The user for whom a page makes the current request; undefined for requests from the network. */
export function takeCaller(): Actor | undefined {
  const caller = callers.getStore();
  const actor = caller?.actor ?? undefined;
  if (caller !== undefined) {
    caller.actor = null;
  }
  return actor;
}
