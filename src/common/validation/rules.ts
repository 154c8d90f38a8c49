/*
 * Rules for single values, each with its error message. For body fields, they are constraints (`body-fields.ts`); for
 * other input, they are checks (`checks.ts`). A rule may rely on the rules before it. Lengths are in Unicode code
 * points, code sizes in bytes.
 */

import { isInvisible, MAX_NAME } from '../text/names';
import { type Micros, parseDay, parseResponseTime } from '../time/clock';

export interface Rule {
  /** Name of the constraint. */
  readonly name: string;
  readonly isMet: (value: unknown) => boolean;
  /**
   * The error message. Called directly after `isMet` has returned false; `label` is the field's name as it appears in
   * messages.
   */
  readonly message: (label: string, value: unknown) => string;
}

const MAX_CODE_BYTES = 256 * 1024;
const MAX_URL = 2_048;

const TEXT: readonly Rule[] = [
  {
    name: 'isText',
    isMet: (value) => typeof value === 'string',
    message: (label) => `The ${label} must be a string.`,
  },
  {
    name: 'hasNoNul',
    isMet: (value) => !(value as string).includes('\0'),
    message: (label) => `The ${label} may not contain NUL characters.`,
  },
  {
    name: 'isWellFormed',
    isMet: (value) => (value as string).isWellFormed(),
    message: (label) => `The ${label} contains an unpaired surrogate, which is not a valid character.`,
  },
];

/** Whether a string has more than `max` code points. Does not build an array for short strings. */
function isLongerThan(text: string, max: number): boolean {
  return text.length > max && [...text].length > max;
}

const maxLength = (max: number): Rule => ({
  name: 'maxLength',
  isMet: (value) => !isLongerThan(value as string, max),
  message: (label) => `The ${label} may not be longer than ${max} characters.`,
});

/** A string of at most `max` characters. @param min 1 = not empty */
export const textRules = (max: number, min = 0): readonly Rule[] => [
  ...TEXT,
  ...(min > 0 ? [NOT_EMPTY] : []),
  maxLength(max),
];

const NOT_EMPTY: Rule = {
  name: 'isNotEmpty',
  isMet: (value) => value !== '',
  message: (label) => `The ${label} field is required.`,
};

/** The name of a user or record. */
export const NAME_RULES: readonly Rule[] = [
  ...TEXT,
  { ...NOT_EMPTY, isMet: (value) => (value as string).trim() !== '' },
  {
    name: 'isVisible',
    isMet: (value) => !isInvisible(value as string),
    message: (label) => `The ${label} must contain a visible character.`,
  },
  maxLength(MAX_NAME),
];

/** Text that passes the given check, at most 256 KiB. */
export const codeRules = (check: (text: string) => string | null): readonly Rule[] => [
  ...TEXT,
  {
    name: 'maxSize',
    isMet: (value) => Buffer.byteLength(value as string) <= MAX_CODE_BYTES,
    message: (label) => `The ${label} may not be larger than 256 KiB.`,
  },
  ...parsingRules(check),
];

/** Rules for a check that returns its own messages. */
export function parsingRules(check: (text: string) => string | null): readonly Rule[] {
  let problem: string | null = null;
  return [
    {
      name: 'parses',
      isMet: (value) => (problem = check(value as string)) === null,
      message: () => problem ?? '',
    },
  ];
}

export const matchingRules = (pattern: RegExp, expectation: string): readonly Rule[] => [
  {
    name: 'matches',
    isMet: (value) => typeof value === 'string' && pattern.test(value),
    message: (label) => `The ${label} must be ${expectation}.`,
  },
];

export const oneOfRules = (allowed: readonly string[]): readonly Rule[] => [
  {
    name: 'isIn',
    isMet: (value) => typeof value === 'string' && allowed.includes(value),
    message: (label) => `The ${label} must be one of: ${allowed.join(', ')}.`,
  },
];

export const integerRules = (min: number, max: number): readonly Rule[] => [
  {
    name: 'isInteger',
    isMet: (value) => typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max,
    message: (label) => `The ${label} must be a whole number between ${min} and ${max}.`,
  },
];

/** Whether the number, as written in JSON, has at most two decimal places. */
function hasTwoDecimals(value: number): boolean {
  return Number((Math.round(value * 100) / 100).toFixed(2)) === value;
}

export const percentRules = (min: number, max: number): readonly Rule[] => [
  ...numberRules(min, max),
  {
    name: 'hasTwoDecimals',
    isMet: (value) => hasTwoDecimals(value as number),
    message: (label) => `The ${label} may have at most two decimal places.`,
  },
];

export const NOT_ZERO: Rule = {
  name: 'isNotZero',
  isMet: (value) => value !== 0,
  message: (label) => `The ${label} may not be 0.`,
};

export const numberRules = (min: number, max: number): readonly Rule[] => [
  {
    // A separate rule with its own message, because callers who send the string "50" consider it to be within the
    // range.
    name: 'isNumber',
    isMet: (value) => typeof value === 'number',
    message: (label) => `The ${label} must be a number between ${min} and ${max}.`,
  },
  {
    name: 'isBetween',
    isMet: (value) => typeof value === 'number' && value >= min && value <= max,
    message: (label) => `The ${label} must be between ${min} and ${max}.`,
  },
];

/** A day that exists, `YYYY-MM-DD`. */
export const DAY_RULES: readonly Rule[] = [
  {
    name: 'isDay',
    isMet: (value) => typeof value === 'string' && parseDay(value) !== null,
    message: (label) => `The ${label} must be a valid date in the format YYYY-MM-DD.`,
  },
];

const momentOf = (value: unknown): Micros | null =>
  typeof value === 'string' ? parseResponseTime(value) : null;

/** A time in ISO 8601 whose microseconds can be represented exactly as a number. */
export const MOMENT_RULES: readonly Rule[] = [
  {
    name: 'isMoment',
    isMet: (value) => momentOf(value) !== null,
    message: (label) => `The ${label} must be a time such as 2026-05-01T09:30:00Z.`,
  },
  {
    name: 'isNearMoment',
    isMet: (value) => Number.isSafeInteger(momentOf(value) ?? 0),
    message: (label) => `The ${label} must be between the years 1684 and 2255.`,
  },
];

/** Whether the number, as written in JSON, has at most four decimal places. */
const hasFourDecimals = (value: number): boolean => Number(value.toFixed(4)) === value;

/** An amount above 0 with at most four decimal places. */
export const amountRules = (max: number): readonly Rule[] => [
  {
    name: 'isPositive',
    isMet: (value) => typeof value === 'number' && value > 0 && value <= max,
    message: (label) => `The ${label} must be a number above 0 and at most ${max}.`,
  },
  {
    name: 'hasFourDecimals',
    isMet: (value) => hasFourDecimals(value as number),
    message: (label) => `The ${label} may have at most four decimal places.`,
  },
];

export const FLAG_RULES: readonly Rule[] = [
  {
    name: 'isBoolean',
    isMet: (value) => typeof value === 'boolean',
    message: (label) => `The ${label} must be true or false.`,
  },
];

export const HTTP_ADDRESS_RULES: readonly Rule[] = [
  ...textRules(MAX_URL),
  {
    name: 'isHttpAddress',
    isMet: (value) => URL.canParse(value as string) && /^https?:\/\/\S+$/i.test(value as string),
    message: (label) => `The ${label} must be an absolute http or https address.`,
  },
];
