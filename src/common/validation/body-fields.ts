import { applyDecorators } from '@nestjs/common';
import type { ApiPropertyOptions } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { DAY_PATTERN, formatMicros, parseResponseTime } from '../time/clock';
import { MAX_ID } from './values';
import { ConstrainedField, FieldOptions, Trimmed } from './fields';
import {
  amountRules,
  codeRules,
  DAY_RULES,
  FLAG_RULES,
  HTTP_ADDRESS_RULES,
  integerRules,
  matchingRules,
  MOMENT_RULES,
  numberRules,
  oneOfRules,
  percentRules,
  Rule,
  textRules,
} from './rules';

/* Fields of request bodies. Each decorator checks a field and describes it for the reference. */

type Told = FieldOptions & { description: string; default?: unknown };

function described(type: ApiPropertyOptions, rules: readonly Rule[], told: Told): PropertyDecorator {
  const { required, nullable, ...texts } = told;
  return ConstrainedField(rules, { ...type, ...texts }, { required, nullable });
}

/** A string of at most `max` characters, which must not be empty if `min` is 1. */
export const TextField = (max: number, { min = 0, ...told }: Told & { min?: number }): PropertyDecorator =>
  described(
    { type: 'string', ...(min > 0 ? { minLength: min } : {}), maxLength: max },
    textRules(max, min),
    told,
  );

/** @param expectation the format in words; it follows "must be" in messages */
export const MatchingField = (pattern: RegExp, expectation: string, told: Told): PropertyDecorator =>
  described({ type: 'string', pattern: pattern.source }, matchingRules(pattern, expectation), told);

export const OneOfField = (allowed: readonly string[], told: Told): PropertyDecorator =>
  described({ type: 'string', enum: [...allowed] }, oneOfRules(allowed), told);

export const IntegerField = (min: number, max: number, told: Told): PropertyDecorator =>
  described({ type: 'integer', minimum: min, maximum: max }, integerRules(min, max), told);

/** The id of a record. */
export const IdField = (told: Told): PropertyDecorator =>
  described({ type: 'integer', minimum: 1 }, integerRules(1, MAX_ID), told);

/** Any number in a range. @param further rules that are checked after the range */
export const NumberField = (
  min: number,
  max: number,
  told: Told,
  further: readonly Rule[] = [],
): PropertyDecorator =>
  described({ type: 'number', minimum: min, maximum: max }, [...numberRules(min, max), ...further], told);

/** A number with at most two decimal places. @param first rules that are checked before the range */
export const PercentField = (
  min: number,
  max: number,
  told: Told,
  first: readonly Rule[] = [],
): PropertyDecorator =>
  described({ type: 'number', minimum: min, maximum: max }, [...first, ...percentRules(min, max)], told);

/** A day, `YYYY-MM-DD`. */
export const DayField = (told: Told): PropertyDecorator =>
  described({ type: 'string', pattern: DAY_PATTERN }, DAY_RULES, told);

/** A time in ISO 8601, in UTC unless the value has an offset. It is stored in the format that responses use. */
export const MomentField = (told: Told): PropertyDecorator =>
  applyDecorators(
    Transform(({ value }: { value: unknown }) => writtenInUtc(value)),
    described({ type: 'string', format: 'date-time' }, MOMENT_RULES, told),
  );

function writtenInUtc(value: unknown): unknown {
  const time = typeof value === 'string' ? parseResponseTime(value) : null;
  return Number.isSafeInteger(time) ? formatMicros(time ?? 0) : value;
}

/** An amount above 0 with at most four decimal places. */
export const AmountField = (max: number, told: Told): PropertyDecorator =>
  described({ type: 'number', minimum: 0.0001, maximum: max }, amountRules(max), told);

export const FlagField = (told: Told): PropertyDecorator => described({ type: 'boolean' }, FLAG_RULES, told);

/** An absolute http(s) URL. */
export const HttpAddressField = (told: Told): PropertyDecorator =>
  applyDecorators(Trimmed(), described({ type: 'string', maxLength: 2_048 }, HTTP_ADDRESS_RULES, told));

/** Code that passes the given check. The limits are added to the description. */
export const CodeField = (
  check: (text: string) => string | null,
  { description, ...told }: Told,
): PropertyDecorator =>
  described({ type: 'string' }, codeRules(check), {
    ...told,
    description: `${description} Up to 256 KiB; must parse.`,
  });
