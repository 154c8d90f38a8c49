import { type Failure, ValidationError } from '../errors/api-errors';
import type { ErrorCode } from '../errors/codes';
import { joinPath } from './values';

/** Collects all failures of a request, so that one response lists them all. */
export class Failures {
  private readonly list: Failure[];

  constructor(list: readonly Failure[] = []) {
    this.list = [...list];
  }

  add(path: string, message: string, code?: ErrorCode): void {
    this.list.push({ path, message, code });
  }

  /** Adds failures whose paths are relative to the given one. */
  addAll(path: string, failures: readonly Failure[]): void {
    for (const failure of failures) {
      this.add(joinPath(path, failure.path), failure.message, failure.code);
    }
  }

  /** Adds the failures of another collection. */
  addEach(others: Failures): void {
    this.list.push(...others.list);
  }

  /** Whether this field, or a part of it, has a failure already. */
  has(field: string): boolean {
    return this.list.some(({ path }) => path === field || path.startsWith(`${field}.`));
  }

  get all(): readonly Failure[] {
    return this.list;
  }

  get any(): boolean {
    return this.list.length > 0;
  }

  /** @throws ValidationError (422) if there are failures */
  throwIfAny(extra: Readonly<Record<string, unknown>> = {}): void {
    if (this.any) {
      throw new ValidationError(this.list, extra);
    }
  }
}
