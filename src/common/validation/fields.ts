import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptions } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { ValidateBy, ValidateIf, ValidationArguments } from 'class-validator';
import type { Failure } from '../errors/api-errors';
import type { Rule } from './rules';

/*
 * The building blocks of body fields: class-validator constraints with descriptions for the reference. `body-fields.ts`
 * has a decorator for each kind of field. Failures become entries of `errors`. Fields that exist only in responses are
 * declared with `Output`.
 */

/** Checks a value and returns the error, if any. `label` is the field's name as it appears in messages. */
export type FieldCheck = (value: unknown, label: string) => string | Failure[] | null;

export interface FieldOptions {
  /** Whether the field is required when a record is created. */
  required?: boolean | undefined;
  /** Whether `null` clears the field. */
  nullable?: boolean | undefined;
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

/** The fields that a record of this class has in responses. */
export const outputFields = (type: Constructor): PropertyMetadata => namesUnder(OUTPUTS, type);

/** `traffic_allocation` -> `traffic allocation` */
export const labelOf = (property: string): string => property.replaceAll('_', ' ');

/**
 * The failures for each field of a validated object. class-validator's own messages are not enough: it replaces
 * `$value` in messages, even though submitted code may contain that text, and has no paths for failures inside a value.
 */
const found = new WeakMap<object, Map<string, readonly Failure[]>>();

/** The failures for one field of a validated object, with paths relative to the field. */
export const failuresOf = (validated: object, property: string): readonly Failure[] =>
  found.get(validated)?.get(property) ?? [];

/** Stores the failures of a field. @returns whether there are none */
function note({ object, property }: ValidationArguments, failures: readonly Failure[]): boolean {
  const ofObject = found.get(object) ?? new Map<string, readonly Failure[]>();
  found.set(object, ofObject.set(property, failures));
  return failures.length === 0;
}

export function runCheck(check: FieldCheck, property: string, value: unknown): Failure[] {
  const problem = check(value, labelOf(property));
  if (problem === null) {
    return [];
  }
  return typeof problem === 'string' ? [{ path: '', message: problem }] : problem;
}

/**
 * Describes a field in the reference. If the schema lists the required properties of the value, `required` is this
 * list, and `selfRequired` tells whether the field itself is required.
 */
function describedBy(
  schema: ApiPropertyOptions,
  { required = false, nullable = false }: FieldOptions,
): PropertyDecorator {
  return ApiProperty({
    ...schema,
    ...(Array.isArray(schema.required) ? { selfRequired: required } : { required }),
    ...(nullable ? { nullable: true } : {}),
  } as ApiPropertyOptions);
}

/** A required field must be present; an optional field must not be null. */
const presence = (required: boolean): Rule =>
  required
    ? {
        name: 'isDefined',
        isMet: (value) => value !== undefined && value !== null,
        message: (label) => `The ${label} field is required.`,
      }
    : {
        name: 'isNotNull',
        isMet: (value) => value !== null,
        message: (label) => `The ${label} field may not be null.`,
      };

/** A class-validator constraint. @param find called once for each value */
const constraint = (
  name: string,
  find: (value: unknown, property: string) => readonly Failure[],
): PropertyDecorator =>
  ValidateBy({
    name,
    validator: {
      validate: (value: unknown, args?: ValidationArguments) =>
        args !== undefined && note(args, find(value, args.property)),
      defaultMessage: (args) => failuresOf(args?.object ?? {}, args?.property ?? '')[0]?.message ?? '',
    },
  });

const ruleConstraint = ({ name, isMet, message }: Rule): PropertyDecorator =>
  constraint(name, (value, property) =>
    isMet(value) ? [] : [{ path: '', message: message(labelOf(property), value) }],
  );

function constrained(
  constraints: readonly PropertyDecorator[],
  schema: ApiPropertyOptions,
  options: FieldOptions,
): PropertyDecorator {
  const { required = false, nullable = false } = options;
  return applyDecorators(
    remember(INPUTS),
    describedBy(schema, options),
    ValidateIf((_, value: unknown) => !((value === undefined && !required) || (value === null && nullable))),
    ruleConstraint(presence(required)),
    ...constraints,
  );
}

/**
 * A body field with rules. Only the first broken rule is reported. Absent values are valid unless the field is
 * required.
 */
export const ConstrainedField = (
  rules: readonly Rule[],
  schema: ApiPropertyOptions,
  options: FieldOptions = {},
): PropertyDecorator => constrained(rules.map(ruleConstraint), schema, options);

/** A field whose value has parts (a list or a tree). The check reports failures at the paths of the parts. */
export const Field = (
  check: FieldCheck,
  schema: ApiPropertyOptions,
  options: FieldOptions = {},
): PropertyDecorator =>
  constrained([constraint('parts', (value, property) => runCheck(check, property, value))], schema, options);

/** Removes leading and trailing white space from a text field. */
export const Trimmed = (): PropertyDecorator =>
  Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.trim() : value));

/** Treats `null` as an empty list. */
export const EmptiedByNull = (): PropertyDecorator =>
  Transform(({ value }: { value: unknown }) => (value === null ? [] : value));

/** A field of a record in responses. A required field is always present. */
export function Output(
  schema: ApiPropertyOptions,
  { required = true }: { required?: boolean } = {},
): PropertyDecorator {
  return applyDecorators(remember(OUTPUTS), describedBy(schema, { required }));
}
