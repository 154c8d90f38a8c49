import { ValidationError } from '../errors/api-errors';
import type { Failure } from './failure';
import { joinPath } from './values';

/** Collects everything that is wrong with a request, so that all of it can be told at once. */
export class Failures {
  private readonly list: Failure[];

  constructor(list: readonly Failure[] = []) {
    this.list = [...list];
  }

  add(path: string, message: string): void {
    this.list.push({ path, message });
  }

  /** Adds failures whose paths are relative to the given one. */
  addAll(path: string, failures: readonly Failure[]): void {
    for (const failure of failures) {
      this.add(joinPath(path, failure.path), failure.message);
    }
  }

  /** Takes over the failures of another collection. */
  addEach(others: Failures): void {
    this.list.push(...others.list);
  }

  /** Has this field, or a part of it, been refused already? */
  has(field: string): boolean {
    return this.list.some(({ path }) => path === field || path.startsWith(`${field}.`));
  }

  get all(): readonly Failure[] {
    return this.list;
  }

  get any(): boolean {
    return this.list.length > 0;
  }

  /** @throws ValidationError (422) when anything was added */
  throwIfAny(extra: Readonly<Record<string, unknown>> = {}): void {
    if (this.any) {
      throw new ValidationError(this.list, extra);
    }
  }
}
