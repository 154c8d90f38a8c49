import { randomUUID } from 'node:crypto';
import { ApiAnswer, ApiRequest, CallApi, parseJson, toWire, WireRequest } from './api-port';

const TIMEOUT_MS = 30_000;

/** The server URL and the credentials. */
export interface ServerAccess {
  /** Without a trailing slash. */
  url: string;
  token: string;
}

/** Thrown if the server is unreachable or the response is not from this API. */
export class UnreachableError extends Error {}

/** Calls the API over HTTP. */
export function fetchPort({ url, token }: ServerAccess): CallApi {
  const requestOf = ({ method, address, headers, payload }: WireRequest): Request =>
    new Request(url + address, {
      method,
      headers: { ...headers, authorization: `Bearer ${token}` },
      // Redirects are not followed, because they could turn a write into a GET or send the token to a different host.
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...(payload === undefined ? {} : { body: payload }),
    });
  return async (request) => {
    const wire = toWire(withKey(request));
    // This is not part of the promise chain below because a serialization error is not a server error.
    const first = requestOf(wire);
    const answer = await fetch(first)
      .catch((error: unknown) => {
        if (request.method === 'PATCH') {
          throw error;
        }
        return fetch(requestOf(wire));
      })
      .then(answerOf)
      .catch((error: unknown) => {
        throw unreachable(url, error);
      });
    return checked(answer, request, url);
  };
}

/** Adds an idempotency key to a POST request that has none, so the request can be retried if the response is lost. */
const withKey = (request: ApiRequest): ApiRequest =>
  request.method === 'POST'
    ? {
        ...request,
        headers: {
          ...request.headers,
          'idempotency-key': request.headers?.['idempotency-key'] ?? randomUUID(),
        },
      }
    : request;

async function answerOf(response: Response): Promise<ApiAnswer> {
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: parseJson(await response.text()),
  };
}

/**
 * API responses are JSON. Any other response comes from a different server. So does a 404 for the list of teams,
 * because every user has that list.
 */
function checked(answer: ApiAnswer, { path }: ApiRequest, url: string): ApiAnswer {
  const { status, headers, body } = answer;
  if (status >= 300 && status < 400) {
    throw new UnreachableError(
      `${url} redirects to ${headers.location ?? 'another address'}. Set GOSSET_URL to that address.`,
    );
  }
  if (body === undefined) {
    throw new UnreachableError(
      `The server at ${url} (status ${status}) is not Gosset. Set GOSSET_URL to the address of the server.`,
    );
  }
  if (path === '/teams' && status === 404) {
    throw new UnreachableError(
      `The Gosset API is not at ${url}/api. Set GOSSET_URL to the address of the server, without /api, /docs or /mcp.`,
    );
  }
  return answer;
}

function unreachable(url: string, error: unknown): UnreachableError {
  const cause: unknown = error instanceof Error ? (error.cause ?? error) : error;
  const reason = cause instanceof Error ? cause.message || cause.name : String(cause);
  return new UnreachableError(
    `Gosset does not respond at ${url}: ${reason}. Is the server running, and is GOSSET_URL its address?`,
  );
}
