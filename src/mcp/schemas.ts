import type { JsonSchema } from '../common/validation/json-schema';
import { isObject } from '../common/validation/values';

/* Schemas of the reference, in the forms that tools need. */

type Schemas = Readonly<Record<string, JsonSchema>>;

/** What is kept of a record: fields as they are, or fields of what is in them. */
export interface Fields {
  readonly [field: string]: true | Fields;
}

const ALTERNATIVES = ['anyOf', 'oneOf'] as const;

/** A schema whose parts are replaced: those of properties, items, values and alternatives. */
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

/** The schema with what it refers to in place. */
export function inlined(schema: JsonSchema, schemas: Schemas): JsonSchema {
  return withTargets(schema, (name) => {
    const target = schemas[name];
    return target === undefined ? {} : inlined(target, schemas);
  });
}

/** As `inlined`, with each named schema in the first place only; in the others, anything goes. */
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
 * What is checked of an argument before the API sees it. Texts with a form of their own and alternatives are left to
 * the API, which says what is wrong in them by path.
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
  ...['minimum', 'minLength', 'maxLength', 'minItems', 'maxItems'],
];

/**
 * What assistants are shown of an argument: what helps to fill it in, and of texts the first sentence. They read all
 * tools before each conversation, and what is wrong is told by the API.
 */
export function shown(schema: JsonSchema): JsonSchema {
  const kept = Object.entries(schema).filter(
    ([keyword, value]) => !NOT_SHOWN.includes(keyword) && value !== undefined,
  );
  const { type, description } = schema;
  const texts = typeof description === 'string' ? { description: firstSentence(description) } : {};
  const types = [type].flat().filter((each) => each !== 'null');
  const own = types.length === 1 && type !== undefined ? { type: types[0] } : {};
  return merged(withParts({ ...Object.fromEntries(kept), ...own, ...texts }, shown));
}

/**
 * Alternatives that differ in their type only are one, and where anything goes, the others say nothing; null is for
 * changes, and says the same as leaving a new field out.
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
  if (first === undefined) {
    return rest;
  }
  return further.length === 0 ? { ...first, ...rest } : { ...rest, anyOf: [first, ...further] };
}

export const firstSentence = (text: string): string => /^.*?[.?](?= +[A-Z`]|$)/s.exec(text)?.[0] ?? text;

/** What assistants are shown of an argument that another tool has explained. */
export const shownAgain = ({ type }: JsonSchema): JsonSchema => (type === undefined ? {} : { type });

/** The schema of these fields only. @throws Error when there is no such field */
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

/** A value without what its schema does not name. */
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

/**
 * An object of which only these fields are explained.
 * @param texts by dotted path, where `*` is any key and `[]` any entry
 */
export function answerSchema(texts: Readonly<Record<string, string>>): JsonSchema {
  return Object.entries(texts).reduce<JsonSchema>(
    (schema, [path, description]) => explained(schema, path.split('.'), description),
    { type: 'object' },
  );
}

function explained(schema: JsonSchema, path: readonly string[], description: string): JsonSchema {
  const [name, ...rest] = path;
  const within = (part: JsonSchema = {}): JsonSchema => explained(part, rest, description);
  const { properties = {}, additionalProperties, items } = schema;
  switch (name) {
    case undefined:
      return { ...schema, description };
    case '*':
      return {
        ...schema,
        additionalProperties: within(isObject(additionalProperties) ? additionalProperties : {}),
      };
    case '[]':
      return { ...schema, items: within(items) };
    default:
      return { ...schema, properties: { ...properties, [name]: within(properties[name]) } };
  }
}
