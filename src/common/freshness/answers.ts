import type { PageRequest } from '../lists/list-query';

/** One record as it is shown, or some of its fields, with the version its ETag is made from. */
export class Shown<T extends { id: number }> {
  constructor(
    readonly record: T,
    readonly version: number,
    readonly id: number = record.id,
  ) {}
}

/** A record that was made by the request. */
export class Created<T extends { id: number }> extends Shown<T> {
  /** The record as a dry run shows it: what only storing gives is null. */
  readonly unstored: () => object;

  constructor(record: T, version: number, unstored: (record: T) => object) {
    super(record, version);
    this.unstored = () => unstored(record);
  }
}

/** For records whose id is all that storing gives them. */
export const withoutId = (record: object): object => ({ ...record, id: null });

/** What a write would have shown had it been stored. There is nothing that an ETag could be of. */
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

/** What was computed from several records; its ETag is made from the versions of all of them. */
export class Computed<T> {
  constructor(readonly value: T) {}
}

/** Text that was computed, to be kept as a file. */
export class Download {
  constructor(
    readonly text: string,
    readonly contentType: string,
    /** Of letters, digits, dots and hyphens only. */
    readonly fileName: string,
  ) {}
}
