import type { Failure } from '../../common/errors/api-errors';
import { isCountryCode } from '../../common/text/countries';
import { code, oneOf, text } from '../../common/validation/checks';
import { checkCondition } from '../../common/validation/condition-code';
import {
  comparedPattern,
  comparedText,
  fieldFailures,
  isGiven,
  unknownFieldFailures,
} from '../../common/validation/condition-parts';
import type { FieldCheck } from '../../common/validation/fields';
import type { PatternCheck } from '../../common/validation/pattern';
import { isObject, joinPath } from '../../common/validation/values';

const TEXT_MATCHES = ['exact', 'contains', 'starts_with', 'ends_with', 'regex'] as const;
const ORDER_MATCHES = ['gt', 'gte', 'lt', 'lte'] as const;
export const CONDITION_TYPES = [
  'device',
  'browser',
  'os',
  'language',
  'visitor',
  'url',
  'referrer',
  'country',
  'query',
  'cookie',
  'attribute',
  'javascript',
] as const;

export type ConditionType = (typeof CONDITION_TYPES)[number];
export const CONDITION_MATCHES = [...TEXT_MATCHES, 'in', 'exists', ...ORDER_MATCHES] as const;
export type ConditionMatch = (typeof CONDITION_MATCHES)[number];
export type ConditionValue = string | number | boolean;

/** A single condition on a visitor. */
export interface ConditionLeaf {
  type: ConditionType;
  /** Name of the query parameter, cookie or attribute. */
  name?: string;
  /** The comparison; absent for code. */
  match?: ConditionMatch;
  /** A list for `in`; absent for `exists`. */
  value?: ConditionValue | ConditionValue[];
}

interface LeafRule {
  named: boolean;
  /** Empty if conditions of this type compare nothing. */
  matches: readonly ConditionMatch[];
  /** Checks a value, or each value in a list. A null match is invalid. */
  value: (match: ConditionMatch | null, checkPattern: PatternCheck) => FieldCheck;
}

const FIELDS = ['type', 'name', 'match', 'value'] as const;
const DEFAULT_MATCH: ConditionMatch = 'exact';
const MAX_VALUES = 1_000;
const MAX_NAME_LENGTH = 255;

const lowerCaseName =
  (examples: string): FieldCheck =>
  (value, label) =>
    typeof value === 'string' && /^[a-z0-9][a-z0-9 ._-]{0,63}$/.test(value)
      ? null
      : `The ${label} must be a lower-case name such as ${examples}.`;

const languageTag: FieldCheck = (value, label) =>
  comparedText(value, label) === null && isLanguageTag(value as string)
    ? null
    : `The ${label} must be a BCP 47 language tag such as de or en-GB.`;

const languagePrefix: FieldCheck = (value, label) =>
  languageTag(typeof value === 'string' ? value.replace(/-$/, '') : value, label);

const number: FieldCheck = (value, label) =>
  Number.isFinite(value) ? null : `The ${label} must be a finite number.`;

const numberOrText: FieldCheck = (value, label) =>
  (typeof value === 'number' ? number : comparedText)(value, label) &&
  `The ${label} must be a number or a string of 1 to 2048 characters.`;

const anyKind: FieldCheck = (value, label) =>
  typeof value === 'boolean'
    ? null
    : numberOrText(value, label) &&
      `The ${label} must be a string of 1 to 2048 characters, a number, true or false.`;

const country: FieldCheck = (value, label) =>
  typeof value === 'string' && isCountryCode(value)
    ? null
    : `The ${label} must be an ISO 3166-1 alpha-2 country code in upper case, such as DE or GB.`;

const condition: FieldCheck = code((text) =>
  text.trim() === '' ? 'The value field is required.' : checkCondition(text),
);

const textValue: LeafRule['value'] = (match, checkPattern) =>
  match === 'regex' ? comparedPattern(checkPattern) : comparedText;

const attributeValue: LeafRule['value'] = (match, checkPattern) => {
  if (match === null || match === 'exact' || match === 'in') {
    return anyKind;
  }
  return isOneOf(ORDER_MATCHES, match) ? numberOrText : textValue(match, checkPattern);
};

const rule = (matches: readonly ConditionMatch[], value: LeafRule['value'], named = false): LeafRule => ({
  named,
  matches,
  value,
});

const BROWSER = lowerCaseName('chrome, firefox, safari or edge');
const OS = lowerCaseName('windows, macos, linux, ios or android');

const RULES: Readonly<Record<ConditionType, LeafRule>> = {
  device: rule(['exact', 'in'], () => oneOf(['desktop', 'mobile', 'tablet'])),
  browser: rule(['exact', 'in'], () => BROWSER),
  os: rule(['exact', 'in'], () => OS),
  language: rule(['exact', 'starts_with', 'in'], (match) =>
    match === 'exact' || match === 'in' ? languageTag : languagePrefix,
  ),
  visitor: rule(['exact'], () => oneOf(['new', 'returning'])),
  url: rule(TEXT_MATCHES, textValue),
  referrer: rule(TEXT_MATCHES, textValue),
  country: rule(['exact', 'in'], () => country),
  query: rule([...TEXT_MATCHES, 'exists'], textValue, true),
  cookie: rule([...TEXT_MATCHES, 'exists'], textValue, true),
  attribute: rule([...TEXT_MATCHES, 'exists', 'in', ...ORDER_MATCHES], attributeValue, true),
  javascript: rule([], () => condition),
};

const NAMED_TYPES = CONDITION_TYPES.filter((type) => RULES[type].named);

/** Validation errors for a leaf in a condition tree. */
export function checkLeaf(path: string, leaf: unknown, checkPattern: PatternCheck): Failure[] {
  if (!isObject(leaf)) {
    const message = 'Each condition must be an object, or a list that starts with one of: and, or, not.';
    return [{ path, message }];
  }
  const unknown = unknownFieldFailures(path, leaf, FIELDS);
  const { type } = leaf;
  if (!isOneOf(CONDITION_TYPES, type)) {
    return [...unknown, ...fieldFailures(path, 'type', type, oneOf(CONDITION_TYPES))];
  }
  return [
    ...unknown,
    ...nameFailures(path, type, leaf.name),
    ...matchFailures(path, type, leaf.match),
    ...valueFailures(path, RULES[type], leaf, checkPattern),
  ];
}

function nameFailures(path: string, type: ConditionType, name: unknown): Failure[] {
  if (RULES[type].named) {
    return fieldFailures(path, 'name', name, text(MAX_NAME_LENGTH, 1));
  }
  const message = `The name must be omitted: only conditions on ${NAMED_TYPES.join(', ')} have one.`;
  return isGiven(name) ? [{ path: joinPath(path, 'name'), message }] : [];
}

function matchFailures(path: string, type: ConditionType, match: unknown): Failure[] {
  const { matches } = RULES[type];
  if (!isGiven(match)) {
    return [];
  }
  return matches.length > 0
    ? fieldFailures(path, 'match', match, oneOf(matches))
    : [{ path: joinPath(path, 'match'), message: `The match must be omitted from ${type} conditions.` }];
}

function valueFailures(
  path: string,
  { matches, value: checkOf }: LeafRule,
  leaf: Record<string, unknown>,
  checkPattern: PatternCheck,
): Failure[] {
  const { value } = leaf;
  const match = effectiveMatch(leaf, matches);
  if (match === 'exists') {
    const message = 'The value must be omitted when the match is exists.';
    return isGiven(value) ? [{ path: joinPath(path, 'value'), message }] : [];
  }
  const check = checkOf(match, checkPattern);
  return fieldFailures(path, 'value', value, match === 'in' ? listOfValues(check) : check);
}

/** The effective match. An invalid match is replaced with one inferred from the value. */
function effectiveMatch(
  { match, value }: Record<string, unknown>,
  matches: readonly ConditionMatch[],
): ConditionMatch | null {
  const wanted = match ?? DEFAULT_MATCH;
  if (isOneOf(matches, wanted)) {
    return wanted;
  }
  return matches.includes('in') && Array.isArray(value) ? 'in' : null;
}

function listOfValues(check: FieldCheck): FieldCheck {
  return (value, label) => {
    if (!Array.isArray(value) || value.length === 0 || value.length > MAX_VALUES) {
      return `The ${label} must be a list of 1 to ${MAX_VALUES} values when the match is in.`;
    }
    return value.flatMap((entry: unknown, index) => {
      const found = check(entry, label);
      return typeof found === 'string' ? [{ path: String(index), message: found }] : (found ?? []);
    });
  };
}

/** A valid leaf in the stored form, which includes the default match and omits null fields. */
export function normalizeLeaf({ type, name, match, value }: ConditionLeaf): ConditionLeaf {
  const compares = RULES[type].matches.length > 0;
  return {
    type,
    ...(isGiven(name) ? { name } : {}),
    ...(compares ? { match: match ?? DEFAULT_MATCH } : {}),
    ...(isGiven(value) ? { value } : {}),
  };
}

function isOneOf<T>(known: readonly T[], value: unknown): value is T {
  return known.includes(value as T);
}

function isLanguageTag(text: string): boolean {
  try {
    return Intl.getCanonicalLocales(text).length === 1;
  } catch (error) {
    if (error instanceof RangeError) {
      return false;
    }
    throw error;
  }
}
