import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptions } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { ValidateBy, ValidateIf, ValidationArguments } from 'class-validator';
import type { Failure } from './failure';

/*
 * The fields of request bodies. Each decorator validates and documents a field in one line; the failures that it
 * finds become entries of `errors`. What a record shows besides is declared with `Output`.
 */

/** Checks a value and returns what is wrong with it; `label` is the field's name in a sentence. */
export type FieldCheck = (value: unknown, label: string) => string | Failure[] | null;

export interface FieldOptions {
  /** Must be given on create. */
  required?: boolean;
  /** `null` clears the field. */
  nullable?: boolean;
}

const INPUTS = 'gosset:inputs';
const OUTPUTS = 'gosset:outputs';

type PropertyMetadata = readonly string[];

function remember(key: string): PropertyDecorator {
  return (target, property) => {
    const known = (Reflect.getMetadata(key, target) as PropertyMetadata | undefined) ?? [];
    Reflect.defineMetadata(key, [...known, String(property)], target);
  };
}

type Constructor = abstract new (...values: never[]) => object;

const namesUnder = (key: string, type: Constructor): PropertyMetadata =>
  (Reflect.getMetadata(key, type.prototype as object) as PropertyMetadata | undefined) ?? [];

/** The fields that a request body of this class may write. */
export const inputFields = (type: Constructor): PropertyMetadata => namesUnder(INPUTS, type);

/** The fields that a record of this class shows. */
export const outputFields = (type: Constructor): PropertyMetadata => namesUnder(OUTPUTS, type);

/** `traffic_allocation` -> `traffic allocation` */
export const labelOf = (property: string): string => property.replaceAll('_', ' ');

/** What a check found, kept in the constraint so that failures in parts of a value keep their paths. */
const FIELD_CHECK = 'field';

export function runCheck(check: FieldCheck, property: string, value: unknown): Failure[] {
  const found = check(value, labelOf(property));
  if (found === null) {
    return [];
  }
  return typeof found === 'string' ? [{ path: '', message: found }] : found;
}

function describedBy(
  schema: ApiPropertyOptions,
  { required = false, nullable = false }: FieldOptions,
): PropertyDecorator {
  return ApiProperty({ ...schema, required, ...(nullable ? { nullable: true } : {}) } as ApiPropertyOptions);
}

/** A field of a request body that passes the check. Absent ones are left alone unless the field is required. */
export function Field(
  check: FieldCheck,
  schema: ApiPropertyOptions,
  options: FieldOptions = {},
): PropertyDecorator {
  const { required = false, nullable = false } = options;
  const whole: FieldCheck = (value, label) => {
    if (value === undefined || (value === null && required)) {
      return `The ${label} field is required.`;
    }
    return value === null ? `The ${label} field may not be null.` : check(value, label);
  };
  return applyDecorators(
    remember(INPUTS),
    describedBy(schema, options),
    ValidateIf((_, value: unknown) => !((value === undefined && !required) || (value === null && nullable))),
    ValidateBy(
      {
        name: FIELD_CHECK,
        validator: {
          validate: (value: unknown, args?: ValidationArguments) =>
            runCheck(whole, args?.property ?? '', value).length === 0,
        },
      },
      { context: { check: whole }, message: 'refused' },
    ),
  );
}

/** Text of which surrounding blanks are no part. */
export const Trimmed = (): PropertyDecorator =>
  Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.trim() : value));

/** A list that `null` empties. */
export const EmptiedByNull = (): PropertyDecorator =>
  Transform(({ value }: { value: unknown }) => (value === null ? [] : value));

/** A field that a record shows. */
export function Output(schema: ApiPropertyOptions): PropertyDecorator {
  return applyDecorators(remember(OUTPUTS), ApiProperty({ ...schema, required: true } as ApiPropertyOptions));
}
