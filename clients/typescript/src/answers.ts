import type { components } from './schema.js';

type Schemas = components['schemas'];
type Status = Schemas['ChangeStatus']['status'];

/** What the server says when it refuses: always a message, and depending on the status the rest. */
export interface Refusal {
  /** What is wrong, for people. */
  message: string;
  /** With 422: everything that is wrong, by the path of the field. */
  errors?: Schemas['ValidationErrorBody']['errors'];
  /** Where a move to another status is refused: the statuses that the experiment could be given instead. */
  allowed_statuses?: Status[];
  /** With 403, where that is the reason: the role of the user in the team. */
  role?: string;
  /** With 403, where that is the reason: the permission that the role lacks. */
  permission?: string;
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
    const { message, errors, allowed_statuses }: Partial<Refusal> =
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
 * Without the forms that records have in dry runs, and when less of them was asked for: those have no `id`, or not always,
 * or only the lighter form of variations.
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

/** What a request resolves with. */
export type Answer<T> =
  { data: T; error?: never; response: Response } | { data?: never; error: Refusal; response: Response };

const etags = new WeakMap<object, string>();

/**
 * The record, list or figures of an answer: `const teams = await ok(gosset.GET('/api/teams'))`.
 * For dry runs and parts of records (`fields`, `variations=lite`), which have another form, take `data` of the answer
 * itself.
 * @throws GossetError when the server refused, `ChangedError` when it was because of `ifMatch`
 */
export async function ok<T>(request: Promise<Answer<T>>): Promise<Whole<T>> {
  const { data, error, response } = await request;
  if (!response.ok) {
    throw new (response.status === 412 ? ChangedError : GossetError)(response, error);
  }
  if (isPart(response)) {
    throw new TypeError(
      'ok() is for whole records: take data of the answer to a dry run, and of one with fields or variations.',
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
