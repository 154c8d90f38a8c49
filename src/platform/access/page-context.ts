import { AsyncLocalStorage } from 'node:async_hooks';
import type { Actor } from './actor';

/** The context of the work for a page. */
interface PageContext {
  /** The id of the page's request. */
  requestId?: string;
  /** The user on whose behalf the page calls the API; the actor is null once a request has been authenticated with it. */
  caller?: { actor: Actor | null };
}

/**
 * The asynchronous context of pages, and of the API requests that they make inside the process. Requests from the
 * network start at their connection, outside this context, so a client cannot set the caller by anything that it sends.
 * It is a single `AsyncLocalStorage`, because on Node 20, each one slows down every promise in the process.
 */
const contexts = new AsyncLocalStorage<PageContext>();

/** Runs the work of a page. Its changes have the request's id in the audit log. */
export const withRequestId = <T>(requestId: string, work: () => T): T => contexts.run({ requestId }, work);

/** The id of the page's request; undefined outside pages. */
export const pageRequestId = (): string | undefined => contexts.getStore()?.requestId;

/** Sends one API request on behalf of a signed-in user. Only the first request inside `send` is authenticated. */
export function callAsUser<T>(actor: Actor, send: () => PromiseLike<T>): Promise<T> {
  // `inject` starts its request only when it is awaited, which must happen inside the context.
  return contexts.run({ ...contexts.getStore(), caller: { actor } }, async () => await send());
}

/** The user on whose behalf a page makes the current request; undefined for requests from the network. */
export function takeCaller(): Actor | undefined {
  const caller = contexts.getStore()?.caller;
  const actor = caller?.actor ?? undefined;
  if (caller !== undefined) {
    caller.actor = null;
  }
  return actor;
}
