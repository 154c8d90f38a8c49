import type { Readable } from 'node:stream';
import type { PageRequest } from '../lists/list-query';

const idOf = (record: object): number => (record as { id: number }).id;

/** A record, or some of its fields, with the version for its ETag. */
export class Shown<T extends object, V extends number | string = number> {
  constructor(
    readonly record: T,
    /** A counter, or a hash of the record. */
    readonly version: V,
    readonly id: number = idOf(record),
    /** The record without secrets. It is used in dry runs and in the responses stored for idempotency keys. */
    readonly kept: T = record,
  ) {}

  /** The same response without secrets. */
  withoutSecrets(): this {
    const prototype = Object.getPrototypeOf(this) as object;
    return Object.assign(Object.create(prototype) as this, this, { record: this.kept });
  }
}

/** A record with values that do not exist until the record is stored. */
export class Renewed<T extends object> extends Shown<T> {
  /** The record in a dry run, in which these values are null. */
  readonly unstored: () => object;

  constructor(record: T, version: number, unstored: (record: T) => object, id?: number, kept?: T) {
    super(record, version, id, kept);
    this.unstored = () => unstored(this.kept);
  }
}

/** A record that has no ETag. */
export class Untagged<T extends object> {
  constructor(
    readonly value: T,
    /** The record in a dry run, with null for values that do not exist until the record is stored. */
    readonly unstored: () => object,
  ) {}
}

/** A record created by the request. */
export class Created<T extends object> extends Renewed<T> {
  /** The record's own path, if it is not under the path of the request. */
  path: string | null = null;

  /** @param path relative to the public URL, such as `/api/projects/1` */
  at(path: string): this {
    this.path = path;
    return this;
  }
}

/** The dry-run form of a record that lacks only its id. */
export const withoutId = (record: object): object => ({ ...record, id: null });

/**
 * The response to store for an idempotency key; null if the result of the transaction is not a response. The response
 * is stored in the same transaction as the records, so a POST handler must create it in the transaction, not
 * afterwards.
 */
export function keptAnswer(result: unknown): Shown<object> | Untagged<object> | null {
  if (result instanceof Untagged) {
    return result as Untagged<object>;
  }
  return result instanceof Shown ? (result as Shown<object>).withoutSecrets() : null;
}

/** The response of a dry run, without an ETag. */
export class Rehearsed {
  constructor(readonly value: object) {}
}

/** Rows in a list: all of them, or one page. */
export class Listed<T> {
  constructor(
    readonly rows: T[],
    readonly total: number,
    readonly page: PageRequest | null,
  ) {}
}

/** A result computed from several records; its ETag combines their versions. */
export class Computed<T> {
  constructor(readonly value: T) {}
}

/** Computed text to download. */
export class Download {
  constructor(
    readonly text: string,
    readonly contentType: string,
    /** Contains only letters, digits, dots and hyphens. */
    readonly fileName: string,
  ) {}
}

/** A long response that is sent while it is being generated; only for routes with `isLive`. */
export class Streamed {
  constructor(
    readonly stream: Readable,
    readonly contentType: string,
  ) {}
}
