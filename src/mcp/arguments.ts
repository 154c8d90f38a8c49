import type { JsonSchema } from '../common/validation/json-schema';
import { schemaCheck } from '../common/validation/schema-check';
import type { SchemaFailure } from '../common/validation/schema-failures';
import type { Operation } from './reference';
import { checked, shown, shownAgain } from './schemas';

/*
 * The arguments of tools, which match the arguments of an operation in the reference. Arguments for headers have
 * additional rules, because headers cannot contain arbitrary text.
 */

/**
 * A single ETag, as found in responses. `*` would allow the change in any state of the record, and a list would allow
 * it in several states.
 */
const IF_MATCH = {
  type: 'string',
  pattern: '^(?:W/)?"[\\w.-]{1,128}"$',
  'x-message': 'must be a single if_match value, exactly as in the response, including its quotes',
} as const satisfies JsonSchema;

const IDEMPOTENCY_KEY = {
  type: 'string',
  maxLength: 255,
  pattern: '^[!-~](?:[ -~]*[!-~])?$',
  'x-message': 'must be 1 to 255 printable ASCII characters, without leading or trailing spaces',
} as const satisfies JsonSchema;

export interface Takes {
  /** The query parameters that the tool accepts. */
  query?: readonly string[];
  /** Whether the change requires an `if_match` with the ETag that was read. */
  ifMatch?: 'required' | 'optional';
  /** Whether a call can be repeated without creating a second record. */
  isRepeatable?: boolean;
  /** Schemas that differ from the reference, and additional arguments; false = not accepted. */
  args?: Readonly<Record<string, JsonSchema | false>>;
  /** Whether a different tool explains the fields. */
  explainedElsewhere?: boolean;
  /** Fields that need an explanation here, because the other tool does not have them. */
  explained?: readonly string[];
}

export interface Input {
  /** The schema that assistants see. */
  schema: JsonSchema;
  check: (args: unknown) => readonly SchemaFailure[];
}

/** The input of a tool that calls an operation. */
export function inputOf(operation: Operation, takes: Takes): Input {
  const { query = [], ifMatch, isRepeatable = false, args = {} } = takes;
  const { explainedElsewhere = false, explained = [] } = takes;
  const fields = Object.entries(operation.body?.properties ?? {});
  const all: Record<string, JsonSchema> = {
    ...operation.path,
    ...(ifMatch === undefined ? {} : { if_match: IF_MATCH }),
    ...Object.fromEntries(query.map((name) => [name, operation.query[name] ?? {}])),
    ...Object.fromEntries(fields),
    ...(isRepeatable ? { idempotency_key: IDEMPOTENCY_KEY } : {}),
  };
  const own = Object.entries(args).map(([name, schema]) => [name, { ...all[name], ...schema }] as const);
  const properties = Object.fromEntries(
    Object.entries({ ...all, ...Object.fromEntries(own) }).filter(([name]) => args[name] !== false),
  );
  const required = [
    ...Object.keys(operation.path),
    ...(ifMatch === 'required' ? ['if_match'] : []),
    ...((operation.body?.required as readonly string[] | undefined) ?? []),
  ].filter((name) => name in properties);
  const isExplained = (name: string): boolean =>
    explainedElsewhere && !explained.includes(name) && fields.some(([field]) => field === name);
  const toShow = Object.entries(properties).map(
    ([name, each]) => [name, isExplained(name) ? shownAgain(each) : shown(plain(name, each))] as const,
  );
  const schema = { type: 'object', ...(required.length === 0 ? {} : { required }) };
  return {
    schema: { ...schema, properties: Object.fromEntries(toShow) },
    // The schema for assistants omits `additionalProperties`, because hosts would otherwise reject a misspelled
    // argument without suggesting the right name.
    check: schemaCheck(
      checked({ ...schema, properties, additionalProperties: false }),
      undefined,
      MAX_ERRORS,
    ),
  };
}

/** Maximum number of errors that a response describes. Describing tens of thousands blocks the process. */
const MAX_ERRORS = 1_000;

/** Fields that need no explanation, or that the instructions explain. */
const PLAIN = ['selector', 'name', 'api_name', 'description', 'search', 'if_match', 'idempotency_key'];

const plain = (name: string, schema: JsonSchema): JsonSchema =>
  PLAIN.includes(name) ? { ...schema, description: undefined } : schema;
