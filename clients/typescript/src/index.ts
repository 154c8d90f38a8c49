import createClient, { type Middleware } from 'openapi-fetch';
import type { Gosset } from './calls.js';
import { type RetryOptions, retrying } from './retry.js';
import type { components, paths } from './schema.js';

export {
  type Answer,
  ChangedError,
  type ErrorCode,
  GossetError,
  ifMatch,
  ok,
  type Refusal,
  type Whole,
} from './answers.js';
export type { Gosset } from './calls.js';
export type { components, paths } from './schema.js';

/** The records and bodies of the API, by name: `Schemas['ExperimentRecord']`. */
export type Schemas = components['schemas'];

export interface GossetOptions extends RetryOptions {
  /** URL of the server, such as `https://ab.example.com`. */
  url: string;
  /** An API token. It is a secret: never use it in code that visitors load. */
  token: string;
  /** Sends every POST with its own `Idempotency-Key`, so it can be retried safely; true by default. */
  idempotencyKeys?: boolean;
  /** The function that sends requests; `globalThis.fetch` by default. */
  fetch?: (request: Request) => Promise<Response>;
}

/**
 * A client of the API: `gosset.GET('/api/teams')`, with the paths, parameters, bodies and responses of the reference.
 */
export function createGosset(options: GossetOptions): Gosset {
  const { url, token, idempotencyKeys = true, fetch = (request) => globalThis.fetch(request) } = options;
  const client = createClient<paths>({
    baseUrl: url.replace(/\/+$/, ''),
    headers: { accept: 'application/json', authorization: `Bearer ${token}` },
    fetch: retrying(fetch, options),
  });
  if (idempotencyKeys) {
    client.use(giveKeys);
  }
  // The types of openapi-fetch accept more than the types of this client. The behaviour is the same.
  return client as unknown as Gosset;
}

const giveKeys: Middleware = {
  onRequest({ request }) {
    if (request.method === 'POST' && !request.headers.has('idempotency-key')) {
      request.headers.set('idempotency-key', crypto.randomUUID());
    }
  },
};
