import type { components } from './schema.js';

type Status = components['schemas']['ChangeStatus']['status'];

interface ErrorBody {
  message?: string;
  errors?: Record<string, string[]>;
  allowed_statuses?: Status[];
}

/** What the server refused, and why. */
export class GossetError extends Error {
  override readonly name: string = 'GossetError';
  /** The HTTP status. */
  readonly status: number;
  /** Everything that is wrong with what was sent, by the path of the field; empty where that is not the reason. */
  readonly errors: Readonly<Record<string, readonly string[]>>;
  /** Where a move to another status is refused: the statuses that the experiment could be given instead. */
  readonly allowedStatuses: readonly Status[];
  /** Finds the request in the server's log. */
  readonly requestId: string | null;

  constructor({ status, statusText, headers }: Response, body: unknown) {
    const { message, errors, allowed_statuses }: ErrorBody =
      typeof body === 'object' && body !== null ? body : {};
    super(message ?? `The server answered ${status} ${statusText}`.trim());
    this.status = status;
    this.errors = errors ?? {};
    this.allowedStatuses = allowed_statuses ?? [];
    this.requestId = headers.get('x-request-id');
  }
}

/** Somebody else has changed the record since it was read: read it again, and decide again. */
export class ChangedError extends GossetError {
  override readonly name = 'ChangedError';
}

/**
 * Without the forms that records have in dry runs, and when only some of their fields were asked for: those have no `id`,
 * or not always. (The types of openapi-fetch leave out a field that is always null.)
 */
export type Whole<T> = T extends readonly (infer Entry)[]
  ? Whole<Entry>[]
  : T extends { id: number }
    ? T
    : Extract<keyof T, 'id' | 'created_at'> extends never
      ? T
      : never;

interface Answer<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

const etags = new WeakMap<object, string>();

/**
 * The record, list or figures of an answer: `const teams = await ok(gosset.GET('/api/teams'))`.
 * For dry runs and parts of records (`fields`), which have another form, take `data` of the answer itself.
 * @throws GossetError when the server refused, `ChangedError` when it was because of `ifMatch`
 */
export async function ok<T>(request: Promise<Answer<T>>): Promise<Whole<T>> {
  const { data, error, response } = await request;
  if (!response.ok) {
    throw new (response.status === 412 ? ChangedError : GossetError)(response, error);
  }
  if (isPart(response)) {
    throw new TypeError(
      'ok() is for whole records: take data of the answer to a dry run, and of one with fields.',
    );
  }
  const etag = response.headers.get('etag');
  if (typeof data === 'object' && data !== null && etag !== null) {
    etags.set(data, etag);
  }
  return data as Whole<T>;
}

const isPart = ({ headers, url }: Response): boolean =>
  headers.get('x-dry-run') === 'true' || (URL.canParse(url) && new URL(url).searchParams.has('fields'));

/**
 * Lets a change be made only if nobody else changed the record since `ok` gave it:
 * `gosset.PATCH(path, { params, body, ...ifMatch(experiment) })`.
 */
export function ifMatch(record: object): { headers: { 'If-Match': string } } {
  const etag = etags.get(record);
  if (etag === undefined) {
    throw new TypeError('ifMatch() needs a record as ok() gave it, not a copy.');
  }
  return { headers: { 'If-Match': etag } };
}
