import type { PageRequest } from '../lists/list-query';

/** One record, or some of its fields, with the version for its ETag. */
export class Shown<T extends { id: number }> {
  constructor(
    readonly record: T,
    readonly version: number,
    readonly id: number = record.id,
  ) {}
}

/** A record created by the request. */
export class Created<T extends { id: number }> extends Shown<T> {
  /** The record in a dry run: values that exist only after storing are null. */
  readonly unstored: () => object;

  constructor(record: T, version: number, unstored: (record: T) => object) {
    super(record, version);
    this.unstored = () => unstored(record);
  }
}

/** For records that lack only the id in a dry run. */
export const withoutId = (record: object): object => ({ ...record, id: null });

/** The response of a dry run, without an ETag. */
export class Rehearsed {
  constructor(readonly value: object) {}
}

/** Rows of a list, all of them or one page. */
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

/** Computed text for download. */
export class Download {
  constructor(
    readonly text: string,
    readonly contentType: string,
    /** Of letters, digits, dots and hyphens only. */
    readonly fileName: string,
  ) {}
}
