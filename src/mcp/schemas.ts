import type { JsonSchema } from '../common/validation/json-schema';
import { isObject } from '../common/validation/values';

/* Converts schemas from the API reference to tool schemas. */

type Schemas = Readonly<Record<string, JsonSchema>>;

/** The selected fields of a record. For a nested record, the value is a selection of its fields. */
export interface Fields {
  readonly [field: string]: true | Fields;
}

const ALTERNATIVES = ['anyOf', 'oneOf'] as const;

/** A copy of a schema in which `replace` is applied to the subschemas of properties, items, values and alternatives. */
function withParts(schema: JsonSchema, replace: (part: JsonSchema) => JsonSchema): JsonSchema {
  const { properties, items, additionalProperties } = schema;
  const alternatives = ALTERNATIVES.filter((keyword) => Array.isArray(schema[keyword]));
  return {
    ...schema,
    ...(properties === undefined ? {} : { properties: mapValues(properties, replace) }),
    ...(items === undefined ? {} : { items: replace(items) }),
    ...(isObject(additionalProperties) ? { additionalProperties: replace(additionalProperties) } : {}),
    ...Object.fromEntries(
      alternatives.map((keyword) => [keyword, (schema[keyword] as JsonSchema[]).map(replace)]),
    ),
  };
}

const mapValues = <T, R>(values: Readonly<Record<string, T>>, change: (value: T) => R): Record<string, R> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));

/** The schema with each reference replaced by its target. */
export function inlined(schema: JsonSchema, schemas: Schemas): JsonSchema {
  return withTargets(schema, (name) => {
    const target = schemas[name];
    return target === undefined ? {} : inlined(target, schemas);
  });
}

/** Like `inlined`, but each named schema appears only once; elsewhere, any value is allowed. */
export function inlinedOnce(schema: JsonSchema, schemas: Schemas, placed = new Set<string>()): JsonSchema {
  return withTargets(schema, (name) => {
    const target = placed.has(name) ? undefined : schemas[name];
    placed.add(name);
    return target === undefined ? {} : inlinedOnce(target, schemas, placed);
  });
}

function withTargets(schema: JsonSchema, targetOf: (name: string) => JsonSchema): JsonSchema {
  const { $ref, allOf, ...rest } = schema;
  if (typeof $ref === 'string') {
    return targetOf($ref.replace('#/components/schemas/', ''));
  }
  const replace = (part: JsonSchema): JsonSchema => withTargets(part, targetOf);
  const parts = (Array.isArray(allOf) ? (allOf as JsonSchema[]) : []).map(replace);
  return Object.assign({}, ...parts, withParts(rest, replace)) as JsonSchema;
}

const NOT_CHECKED = ['description', 'format', 'anyOf', 'oneOf'];

/**
 * The schema that validates an argument before the API call. The API checks string formats and alternatives, because
 * its errors include paths.
 */
export function checked(schema: JsonSchema): JsonSchema {
  const isSpoken = schema['x-message'] !== undefined;
  const kept = Object.entries(schema).filter(
    ([keyword]) => !NOT_CHECKED.includes(keyword) && (keyword !== 'pattern' || isSpoken),
  );
  return withParts(Object.fromEntries(kept), checked);
}

const NOT_SHOWN = [
  ...['x-message', 'title', 'pattern', 'format', 'example'],
  ...['minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems', 'exclusiveMinimum'],
];

/**
 * The schema of an argument as assistants see it, reduced to what helps them fill in the argument, and to the first
 * sentence of each text. Assistants read all tools before each conversation, and the API explains errors.
 */
export function shown(schema: JsonSchema): JsonSchema {
  const { type, properties, items } = schema;
  // The fields of an object explain it.
  const isExplained = (properties ?? items?.properties) !== undefined;
  const hidden = [...NOT_SHOWN, ...(isExplained ? ['description'] : [])];
  const kept = Object.entries(schema)
    .filter(
      ([keyword, value]) =>
        !hidden.includes(keyword) &&
        value !== undefined &&
        !(keyword === 'default' && isKnown(value, schema)),
    )
    .map(([keyword, value]) => [keyword, keyword === 'description' ? firstSentence(String(value)) : value]);
  const types = [type].flat().filter((each) => each !== 'null');
  const own = types.length === 1 && type !== undefined ? { type: types[0] } : {};
  return merged(withParts({ ...(Object.fromEntries(kept) as JsonSchema), ...own }, shown));
}

/**
 * Whether a default can be omitted because it means the same as an absent argument or is the first choice. The
 * instructions explain both.
 */
const isKnown = (value: unknown, schema: JsonSchema): boolean =>
  value === null || value === false || value === [schema.enum].flat()[0];

/**
 * Merges alternatives that differ only in type. The alternatives are omitted if one of them allows any value. They are
 * also omitted if the choice is only between one value and a list of values, and a description explains this choice.
 * Null is useful only in updates; in new records, it means the same as an absent field.
 */
function merged({ anyOf, ...rest }: JsonSchema): JsonSchema {
  const all = ((anyOf ?? []) as JsonSchema[]).filter(({ type }) => type !== 'null');
  if (all.some((each) => Object.keys(each).length === 0)) {
    return rest;
  }
  const types = all.filter((each) => Object.keys(each).join() === 'type').map(({ type }) => type);
  const others = all.filter((each) => Object.keys(each).join() !== 'type');
  const joined = types.length > 1 ? [{ type: types as string[] }] : types.map((type) => ({ type }));
  const [first, ...further] = [...joined, ...others] as JsonSchema[];
  if (rest.description !== undefined && further.length === 1 && isSame(first, further[0]?.items)) {
    return rest;
  }
  if (first === undefined) {
    return rest;
  }
  return further.length === 0 ? { ...first, ...rest } : { ...rest, anyOf: [first, ...further] };
}

export const firstSentence = (text: string): string => /^.*?[.?](?= +[A-Z`]|$)/s.exec(text)?.[0] ?? text;

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/**
 * The schema of an argument that a different tool explains. `[]` empties a list, so null is not needed. Hosts require a
 * schema for the items of a list.
 */
export function shownAgain({ type }: JsonSchema): JsonSchema {
  if ([type].flat().includes('array')) {
    return { type: 'array', items: {} };
  }
  return type === undefined ? {} : { type };
}

/** The schema with only these fields. @throws Error for an unknown field */
export function picked(schema: JsonSchema, fields: Fields): JsonSchema {
  const { properties, items, additionalProperties } = schema;
  if (properties === undefined) {
    const inside = { items, additionalProperties, ...schema };
    return withParts(inside, (part) => (isContainer(part) ? picked(part, fields) : part));
  }
  const parts = Object.entries(fields).map(([name, inside]) => {
    const part = properties[name];
    if (part === undefined) {
      throw new Error(`The reference has no field ${name}.`);
    }
    return [name, inside === true ? part : picked(part, inside)] as const;
  });
  const required = (schema.required as readonly string[] | undefined)?.filter((name) => name in fields);
  return { ...schema, properties: Object.fromEntries(parts), ...(required ? { required } : {}) };
}

const isContainer = ({ properties, items, additionalProperties, anyOf, oneOf }: JsonSchema): boolean =>
  [properties, items, anyOf, oneOf].some((part) => part !== undefined) || isObject(additionalProperties);

/** A value reduced to the fields in its schema. */
export function projected(schema: JsonSchema, value: unknown): unknown {
  const { properties, items, additionalProperties } = schema;
  if (Array.isArray(value)) {
    return items === undefined ? value : value.map((entry) => projected(items, entry));
  }
  if (!isObject(value)) {
    return value;
  }
  if (properties !== undefined) {
    const names = Object.keys(properties).filter((name) => Object.hasOwn(value, name));
    return Object.fromEntries(names.map((name) => [name, projected(properties[name] ?? {}, value[name])]));
  }
  if (isObject(additionalProperties)) {
    return mapValues(value, (entry) => projected(additionalProperties, entry));
  }
  const alternatives = ALTERNATIVES.flatMap((keyword) => (schema[keyword] ?? []) as readonly JsonSchema[]);
  const holder = alternatives.find((each) => each.properties !== undefined);
  return holder === undefined ? value : projected(holder, value);
}
