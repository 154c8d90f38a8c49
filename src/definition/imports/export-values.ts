import { isObject } from '../../common/validation/values';

/** Thrown for a record in an export that has no equivalent in Gosset. The message explains why. */
export class NoEquivalent extends Error {}

/** The error for an experiment whose shares depend on its results. */
export const bandit = (): NoEquivalent =>
  new NoEquivalent('It is a bandit. Gosset does not change shares automatically.');

/* Functions that read values of exports. The structure of an export is not validated. */

export type Json = Record<string, unknown>;

/** The objects of a list; empty for other values. */
export const objectsIn = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isObject) : []);

/** The strings and numbers of a list, as strings. */
export const textsIn = (value: unknown): string[] =>
  Array.isArray(value)
    ? value.filter((entry) => typeof entry === 'string' || typeof entry === 'number').map(String)
    : [];

/** A string, or a number as a string; empty for other values. */
export const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';

/** The first of these fields that contains a string or a number, as a string; otherwise empty. */
export const textIn = (value: Json, ...fields: readonly string[]): string =>
  fields.map((field) => textOf(value[field])).find((text) => text !== '') ?? '';

export const textOrNullIn = (value: Json, field: string): string | null => textIn(value, field) || null;

/** The number in a field; the fallback if there is none. */
export const numberIn = (value: Json, field: string, fallback: number): number =>
  typeof value[field] === 'number' && Number.isFinite(value[field]) ? value[field] : fallback;

export const objectIn = (value: Json, field: string): Json => (isObject(value[field]) ? value[field] : {});

/**
 * Parses a JSON string, such as a condition in an export; returns other values unchanged. @throws NoEquivalent if it
 * does not parse
 */
export function parsed(value: unknown): unknown {
  if (typeof value !== 'string') {
    return value;
  }
  try {
    return JSON.parse(value) as unknown;
  } catch {
    throw new NoEquivalent('Its condition is not JSON.');
  }
}
