/** A request to the REST API, as a tool makes it. */
export interface ApiRequest {
  method: 'GET' | 'POST' | 'PATCH';
  /** Below `/api`, such as `/teams`. */
  path: string;
  /** Parameters without a value are left out; lists are comma-separated. */
  query?: Readonly<Record<string, string | number | readonly string[] | undefined>>;
  body?: Readonly<Record<string, unknown>>;
  /** Further headers, in lower case; those without a value are left out. */
  headers?: Readonly<Record<string, string | undefined>>;
}

export interface ApiAnswer {
  status: number;
  /** In lower case. */
  headers: Readonly<Record<string, string | undefined>>;
  /** Undefined when it is no JSON. */
  body: unknown;
}

/** The one way in which tools reach the server: as the caller, through the API, with all that it checks and counts. */
export type CallApi = (request: ApiRequest) => Promise<ApiAnswer>;

/** What goes over the wire, whichever way that is. */
export interface WireRequest {
  method: ApiRequest['method'];
  /** With the leading `/api`, and with the query. */
  address: string;
  headers: Record<string, string>;
  payload?: string;
}

/** Writes a request down as the API expects it. */
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

/** The value that a text holds as JSON; undefined when it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
