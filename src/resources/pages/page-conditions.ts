import type { Failure } from '../../common/errors/api-errors';
import { flag, oneOf } from '../../common/validation/checks';
import {
  comparedPattern,
  comparedText,
  fieldFailures,
  isGiven,
  unknownFieldFailures,
} from '../../common/validation/condition-parts';
import { createPatternCheck, PatternCheck } from '../../common/validation/pattern';
import { isObject } from '../../common/validation/values';

export const PAGE_MATCHES = ['simple', 'exact', 'contains', 'starts_with', 'ends_with', 'regex'] as const;

export type PageMatch = (typeof PAGE_MATCHES)[number];

/** The ways to compare a page's URL with a value. */
export interface PageCondition {
  match: PageMatch;
  value: string;
  /** Whether the condition is negated. */
  negate: boolean;
}

const FIELDS = ['match', 'value', 'negate'] as const;
const DEFAULT_MATCH: PageMatch = 'simple';
const MAX_CONDITIONS = 100;

/** Validation errors for a page's conditions. Null or an empty list matches every page. */
export function checkPageConditions(value: unknown): Failure[] {
  if (value === null) {
    return [];
  }
  if (!Array.isArray(value)) {
    return [{ path: '', message: 'The conditions must be a list.' }];
  }
  if (value.length > MAX_CONDITIONS) {
    return [{ path: '', message: `The conditions may have at most ${MAX_CONDITIONS} entries.` }];
  }
  const checkPattern = createPatternCheck();
  return value.flatMap((condition: unknown, index) =>
    conditionFailures(String(index), condition, checkPattern),
  );
}

function conditionFailures(path: string, condition: unknown, checkPattern: PatternCheck): Failure[] {
  if (!isObject(condition)) {
    return [{ path, message: 'The condition must be an object.' }];
  }
  const { match, value, negate } = condition;
  return [
    ...unknownFieldFailures(path, condition, FIELDS),
    ...(isGiven(match) ? fieldFailures(path, 'match', match, oneOf(PAGE_MATCHES)) : []),
    ...fieldFailures(path, 'value', value, match === 'regex' ? comparedPattern(checkPattern) : comparedText),
    ...(isGiven(negate) ? fieldFailures(path, 'negate', negate, flag) : []),
  ];
}

/** Valid conditions in the stored form, with defaults. */
export function normalizePageConditions(value: unknown): PageCondition[] {
  const conditions = (value ?? []) as Partial<PageCondition>[];
  return conditions.map((condition) => ({
    match: condition.match ?? DEFAULT_MATCH,
    value: condition.value ?? '',
    negate: condition.negate ?? false,
  }));
}
