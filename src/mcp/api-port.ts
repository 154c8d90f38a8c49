/** A REST API request of a tool. */
export interface ApiRequest {
  method: 'GET' | 'POST' | 'PATCH';
  /** Below `/api`, such as `/teams`. */
  path: string;
  /** Parameters without a value are omitted; lists are comma-separated. */
  query?: Readonly<Record<string, string | number | readonly string[] | undefined>>;
  body?: Readonly<Record<string, unknown>>;
  /** Further headers, in lower case; headers without a value are omitted. */
  headers?: Readonly<Record<string, string | undefined>>;
}

export interface ApiAnswer {
  status: number;
  /** In lower case. */
  headers: Readonly<Record<string, string | undefined>>;
  /** Undefined if it is not JSON. */
  body: unknown;
}

/** Tools access the server only through the API, as the caller, with all of its checks and limits. */
export type CallApi = (request: ApiRequest) => Promise<ApiAnswer>;

/** A serialized request, for any transport. */
export interface WireRequest {
  method: ApiRequest['method'];
  /** With the leading `/api`, and with the query. */
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
