import { distance } from 'fastest-levenshtein';
import { type Failure, ValidationError } from '../errors/api-errors';
import type { ErrorCode } from '../errors/codes';
import { joinPath } from './values';

/** Collects all failures in a request, so one response can list them all. */
export class Failures {
  private list: Failure[];

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

  /** Adds the failures from another collection. */
  addEach(others: Failures): void {
    this.list.push(...others.list);
  }

  /** Whether this field, or a part of it, already has a failure. */
  has(field: string): boolean {
    return this.list.some(({ path }) => path === field || path.startsWith(`${field}.`));
  }

  /** Removes these failures. */
  remove(failures: readonly Failure[]): void {
    this.list = this.list.filter((failure) => !failures.includes(failure));
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

/**
 * Reads two parts of a request. Any error other than a `ValidationError` is thrown unchanged. @throws ValidationError
 * with the failures of both parts
 */
export function readBoth<A, B>(readFirst: () => A, readSecond: () => B): [A, B] {
  let first: A;
  try {
    first = readFirst();
  } catch (error) {
    throw error instanceof ValidationError ? errorWith(error, readSecond) : error;
  }
  return [first, readSecond()];
}

function errorWith(first: ValidationError, readSecond: () => unknown): unknown {
  try {
    readSecond();
    return first;
  } catch (error) {
    return error instanceof ValidationError ? error.after(first.failures) : error;
  }
}

/**
 * If a request has more unknown fields than this, typos are unlikely to be the cause, so no more names are suggested.
 */
export const MAX_HINTS = 20;
const MAX_NAMED = 100;

/** `The field trafic_allocation is unknown. Did you mean traffic_allocation?` */
export function unknownField(field: string, known: readonly string[]): string {
  const shortened = field.length > MAX_NAMED ? `${[...field].slice(0, MAX_NAMED).join('')}…` : field;
  const hint = known.length === 0 ? '' : hintFor(shortened, known);
  return `The field ${shortened} is unknown.${hint}`;
}

function hintFor(shortened: string, known: readonly string[]): string {
  const nearest = known
    .filter((name) => Math.abs(name.length - shortened.length) <= mostSteps(name))
    .map((name) => ({ name, steps: stepsBetween(name, shortened.toLowerCase()) }))
    .sort((a, b) => a.steps - b.steps)
    .find(({ name, steps }) => steps <= mostSteps(name));
  return nearest === undefined ? '' : ` Did you mean ${nearest.name}?`;
}

/** The maximum edit distance between a name and a suggestion. */
const mostSteps = (name: string): number => Math.max(1, Math.floor(name.length / 3));

/** The edit distance; a transposition (`nmae`) counts as one edit. */
function stepsBetween(name: string, field: string): number {
  const sorted = (text: string): string => [...text].sort().join('');
  return sorted(name) === sorted(field) ? 1 : distance(name, field);
}
