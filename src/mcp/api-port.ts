/** A REST API request from a tool. */
export interface ApiRequest {
  method: 'GET' | 'POST' | 'PATCH';
  /** Path below `/api`, such as `/teams`. */
  path: string;
  /** Query parameters. Parameters without a value are omitted, and lists are comma-separated. */
  query?: Readonly<Record<string, string | number | readonly string[] | undefined>>;
  body?: Readonly<Record<string, unknown>>;
  /** Additional headers, in lower case. Headers without a value are omitted. */
  headers?: Readonly<Record<string, string | undefined>>;
}

export interface ApiAnswer {
  status: number;
  /** Response headers, in lower case. */
  headers: Readonly<Record<string, string | undefined>>;
  /** Undefined if the response is not JSON. */
  body: unknown;
}

/**
 * Calls the API. Tools access the server only through the API, on behalf of the caller, so all checks and limits of the
 * API apply.
 */
export type CallApi = (request: ApiRequest) => Promise<ApiAnswer>;

/** A serialized request, for any transport. */
export interface WireRequest {
  method: ApiRequest['method'];
  /** The path with the leading `/api` and the query. */
  address: string;
  headers: Record<string, string>;
  payload?: string;
}

/** Serializes a request for the API. */
export function toWire({ method, path, query = {}, body, headers = {} }: ApiRequest): WireRequest {
  const parameters = new URLSearchParams(given(query).map(([name, value]) => [name, String(value)]));
  const search = parameters.size > 0 ? `?${parameters.toString()}` : '';
  return {
    method,
    address: `/api${path}${search}`,
    headers: {
      accept: 'application/json',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...Object.fromEntries(given(headers)),
    },
    ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
  };
}

function given<T>(values: Readonly<Record<string, T | undefined>>): [name: string, value: T][] {
  return Object.entries(values).filter((entry): entry is [string, T] => entry[1] !== undefined);
}

/** Parses JSON; undefined if it is malformed. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
