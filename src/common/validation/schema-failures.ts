import type { ErrorObject } from 'ajv/dist/2020';
import type { Failure } from '../errors/api-errors';
import type { JsonSchema } from './json-schema';
import { MAX_HINTS, unknownField } from './failures';
import { isObject, joinPath } from './values';

/* Converts the errors of JSON schemas to failures: one for each invalid value, in the order of the body. */

export interface SchemaFailure extends Failure {
  /** Whether the reason for the failure is that a required field is missing or null. */
  isMissing: boolean;
}

type Segments = readonly string[];

/** The errors at one place in the body. */
interface Place {
  /** The error of the failing keyword that comes first in `KEYWORDS`. */
  byKeyword: { rank: number; message: string; isMissing: boolean } | null;
  ruled: string[];
  /** Null if there are no errors inside. Created on demand, because a body can have many invalid fields. */
  inside: Map<string, Place> | null;
}

/**
 * The order of precedence, because only one error is reported for each value. For example, if a string is expected and
 * a list is sent, the length of the list does not matter.
 */
const KEYWORDS = ['type', 'enum', 'minLength', 'pattern', 'maxLength'];
const rankOf = (keyword: string): number =>
  KEYWORDS.includes(keyword) ? KEYWORDS.indexOf(keyword) : Infinity;

/** Size limits. Their messages are used even if the value has an `x-message`. */
const SIZES: Readonly<Record<string, (schema: JsonSchema) => string>> = {
  maxLength: ({ maxLength }) => `may not be longer than ${String(maxLength)} characters`,
  maxProperties: ({ maxProperties }) => `may have at most ${String(maxProperties)} entries`,
  minItems: (schema) => listSize(schema),
  maxItems: (schema) => listSize(schema),
};

function listSize({ minItems, maxItems }: JsonSchema): string {
  if (typeof maxItems !== 'number') {
    return `must have at least ${String(minItems)} ${minItems === 1 ? 'entry' : 'entries'}`;
  }
  return typeof minItems !== 'number'
    ? `may have at most ${maxItems} entries`
    : `must have ${minItems} to ${maxItems} entries`;
}

/**
 * Converts schema errors to failures with messages.
 * @param ruled failures that other checks have found
 */
export function schemaFailures(
  root: JsonSchema,
  body: unknown,
  errors: readonly ErrorObject[],
  ruled: readonly Failure[],
): SchemaFailure[] {
  const found = newPlace();
  let unknown = 0;
  for (const error of errors.filter(({ propertyName }) => propertyName === undefined)) {
    unknown += error.keyword === 'additionalProperties' ? 1 : 0;
    const { at, message, isMissing } = told(root, error, unknown <= MAX_HINTS);
    const place = placeAt(found, at);
    const rank = rankOf(error.keyword);
    if (place.byKeyword === null || rank < place.byKeyword.rank) {
      place.byKeyword = { rank, message, isMissing };
    }
  }
  for (const { path, message } of ruled) {
    placeAt(found, path.split('.')).ruled.push(message);
  }
  const failures: SchemaFailure[] = [];
  addInOrder(failures, found, body, '');
  return failures;
}

const newPlace = (): Place => ({ byKeyword: null, ruled: [], inside: null });

function placeAt(root: Place, at: Segments): Place {
  let place = root;
  for (const segment of at) {
    place.inside ??= new Map();
    const next = place.inside.get(segment) ?? newPlace();
    place.inside.set(segment, next);
    place = next;
  }
  return place;
}

/** Failures inside a value are reported only if the value itself has no failure. */
function addInOrder(
  failures: SchemaFailure[],
  { byKeyword, ruled, inside }: Place,
  value: unknown,
  path: string,
): void {
  const at = path === '' ? 'body' : path;
  if (byKeyword !== null) {
    failures.push({ path: at, message: byKeyword.message, isMissing: byKeyword.isMissing });
  }
  failures.push(...ruled.map((message) => ({ path: at, message, isMissing: false })));
  if (byKeyword !== null || inside === null) {
    return;
  }
  const members = Object(value) as Record<string, unknown>;
  // Missing fields come last. For required fields, null counts as missing.
  const absent = new Map<string, Place>();
  for (const [key, place] of inside) {
    if (place.byKeyword?.isMissing === true && members[key] !== '') {
      absent.set(key, place);
    }
  }
  for (const key of Object.keys(members)) {
    const place = absent.has(key) ? undefined : inside.get(key);
    if (place !== undefined) {
      addInOrder(failures, place, members[key], joinPath(path, key));
    }
  }
  for (const [key, place] of absent) {
    addInOrder(failures, place, members[key], joinPath(path, key));
  }
}

interface Told {
  at: Segments;
  message: string;
  isMissing: boolean;
}

function told(root: JsonSchema, error: ErrorObject, hasHint: boolean): Told {
  const within = error.instancePath.split('/').slice(1).map(unescaped);
  const { keyword, parentSchema } = error;
  const params = error.params as Record<string, string>;
  if (keyword === 'additionalProperties') {
    const known = hasHint ? Object.keys((parentSchema as JsonSchema).properties ?? {}) : [];
    const field = params.additionalProperty ?? '';
    return { at: [...within, field], message: unknownField(field, known), isMissing: false };
  }
  if (keyword === 'required') {
    return missing([...within, params.missingProperty ?? '']);
  }
  const at = keyword === 'propertyNames' ? [...within, params.propertyName ?? ''] : within;
  const schemas = schemasAlong(root, at);
  const container = schemas.at(-2)?.properties ?? {};
  if (error.data === null && Object.hasOwn(container, at.at(-1) ?? '')) {
    return missing(at);
  }
  return refused(at, schemas, error);
}

const unescaped = (segment: string): string => segment.replaceAll('~1', '/').replaceAll('~0', '~');

const missing = (at: Segments): Told => ({
  at,
  message: `The ${labelOf(at)} field is required.`,
  isMissing: true,
});

function refused(at: Segments, schemas: readonly JsonSchema[], { keyword, data }: ErrorObject): Told {
  if (at.length === 0) {
    return { at, message: 'The body must be a JSON object.', isMissing: false };
  }
  const schema = schemas[at.length] ?? {};
  if (keyword === 'minLength') {
    return missing(at);
  }
  const spoken = schemas.findLastIndex((each) => each['x-message'] !== undefined);
  const place = spoken === -1 ? at : at.slice(0, spoken);
  const label = schemas[place.length]?.title ?? labelOf(place);
  const size = place.length === at.length ? SIZES[keyword]?.(schema) : undefined;
  const rule = size ?? schemas[spoken]?.['x-message'] ?? expectation(keyword, schema, data, label);
  return { at: place, message: `The ${label} ${rule}.`, isMissing: false };
}

/** The last name on the way to a value. An entry of an array has no name of its own. */
function labelOf(at: Segments): string {
  const last = at.at(-1) ?? 'body';
  return at.length > 1 && /^\d+$/.test(last)
    ? `entry in ${labelOf(at.slice(0, -1))}`
    : last.replaceAll('_', ' ');
}

/** The schemas along the path to a value, starting with the schema of the whole body. */
function schemasAlong(root: JsonSchema, at: Segments): JsonSchema[] {
  const schemas = [root];
  for (const segment of at) {
    const { properties = {}, additionalProperties, items } = schemas.at(-1) as JsonSchema;
    const member = Object.hasOwn(properties, segment) ? properties[segment] : additionalProperties;
    schemas.push(items ?? (isObject(member) ? member : {}));
  }
  return schemas;
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'must be a string',
  boolean: 'must be true or false',
  array: 'must be a list',
  object: 'must be an object',
};

function numberExpectation(isWhole: boolean, { minimum, maximum }: JsonSchema, data: unknown): string {
  const number = isWhole ? 'must be a whole number' : 'must be a number';
  if (minimum === undefined) {
    return maximum === undefined ? number : `${number} of at most ${maximum}`;
  }
  if (maximum === undefined) {
    return `${number} of at least ${minimum}`;
  }
  const isOutOfRange = !isWhole && typeof data === 'number';
  return `${isOutOfRange ? 'must be' : number} between ${minimum} and ${maximum}`;
}

function expectation(keyword: string, schema: JsonSchema, data: unknown, label: string): string {
  if (keyword === 'pattern' && typeof data === 'string') {
    return data.includes('\0')
      ? 'may not contain NUL characters'
      : 'contains an unpaired surrogate, which is not a valid character';
  }
  if (keyword === 'format') {
    return 'must be an absolute URL';
  }
  if (keyword === 'x-maxDepth') {
    const verb = label.endsWith('s') ? 'are' : 'is';
    return `${verb} nested deeper than ${String(schema['x-maxDepth'])} levels`;
  }
  if (Array.isArray(schema.enum)) {
    return `must be one of: ${schema.enum.filter((each) => each !== null).join(', ')}`;
  }
  const types = [schema.type].flat();
  const known = Object.keys(TYPES).find((type) => types.includes(type));
  const isNumber = types.includes('integer') || types.includes('number');
  return known === undefined && isNumber
    ? numberExpectation(types.includes('integer'), schema, data)
    : TYPES[known ?? 'object'];
}
