import type { components } from './schema.js';

type Schemas = components['schemas'];
type Status = Schemas['ChangeStatus']['status'];

/** The error codes, as in the reference. */
export type ErrorCode = Extract<Schemas[keyof Schemas], { code: string; message: string }>['code'];

/** The body of an error response: always a message, and further fields depending on the status. */
export interface Refusal {
  /** The error message, for people. */
  message: string;
  /** The error code, for programs. Later server versions may add codes. */
  code?: ErrorCode;
  /** With 422: all validation errors, by field path. */
  errors?: Schemas['ValidationErrorBody']['errors'];
  /** After a rejected status change: the allowed target statuses. */
  allowed_statuses?: Status[];
  /** With 403 for a missing permission: the user's role in the team. */
  role?: string;
  /** With 403 for a missing permission: the permission that the role lacks. */
  permission?: string;
}

/** A rejected request, with the reason. */
export class GossetError extends Error {
  override readonly name: string = 'GossetError';
  /** The HTTP status. */
  readonly status: number;
  /** The error code, for programs; null if the response is not from the API, for example from a proxy. */
  readonly code: ErrorCode | null;
  /** All validation errors, by field path; empty for other errors. */
  readonly errors: Readonly<Record<string, readonly string[]>>;
  /** After a rejected status change: the allowed target statuses. */
  readonly allowedStatuses: readonly Status[];
  /** The request id in the server log. */
  readonly requestId: string | null;

  constructor({ status, statusText, headers }: Response, body: unknown) {
    const { message, code, errors, allowed_statuses }: Partial<Refusal> =
      typeof body === 'object' && body !== null ? body : {};
    super(message ?? `The server responded with ${status} ${statusText}`.trim());
    this.status = status;
    this.code = code ?? null;
    this.errors = errors ?? {};
    this.allowedStatuses = allowed_statuses ?? [];
    this.requestId = headers.get('x-request-id');
  }
}

/** The record has changed since it was read. Read it again before you repeat the change. */
export class ChangedError extends GossetError {
  override readonly name = 'ChangedError';
}

/**
 * The complete record. Excludes the types of dry runs and partial records, which can lack `id` or have lite variations.
 */
export type Whole<T> = T extends readonly (infer Entry)[]
  ? Whole<Entry>[]
  : T extends { id: number }
    ? WithFullVariations<T>
    : T extends { id?: unknown }
      ? never
      : T;

type WithFullVariations<T> = T extends { variations: infer Variations }
  ? Variations extends Schemas['VariationRecord'][]
    ? T
    : never
  : T;

/** The result of a request. */
export type Answer<T> =
  { data: T; error?: never; response: Response } | { data?: never; error: Refusal; response: Response };

const etags = new WeakMap<object, string>();

/**
 * Returns the record, list or figures of a response: `const teams = await ok(gosset.GET('/api/teams'))`. Dry runs and
 * partial records (`fields`, `variations=lite`) have other types. For these, use `data` of the response instead.
 * @throws GossetError if the server rejected the request; ChangedError if `ifMatch` was the reason
 */
export async function ok<T>(request: Promise<Answer<T>>): Promise<Whole<T>> {
  const { data, error, response } = await request;
  if (!response.ok) {
    throw new (response.status === 412 ? ChangedError : GossetError)(response, error);
  }
  if (isPart(response)) {
    throw new TypeError(
      'ok() is for complete records. For a dry run, fields or variations, use data of the response.',
    );
  }
  const etag = response.headers.get('etag');
  if (typeof data === 'object' && data !== null && etag !== null) {
    etags.set(data, etag);
  }
  return data as Whole<T>;
}

function isPart({ headers, url }: Response): boolean {
  const query = URL.canParse(url) ? new URL(url).searchParams : new URLSearchParams();
  return headers.get('x-dry-run') === 'true' || query.has('fields') || query.has('variations');
}

/**
 * Makes a change conditional: it fails if the record has changed since `ok` returned it.
 * `gosset.PATCH(path, { params, body, ...ifMatch(experiment) })`.
 */
export function ifMatch(record: object): { headers: { 'If-Match': string } } {
  const etag = etags.get(record);
  if (etag === undefined) {
    throw new TypeError('ifMatch() needs the record that ok() returned, not a copy.');
  }
  return { headers: { 'If-Match': etag } };
}
