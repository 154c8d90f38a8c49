import type { JsonSchema } from '../common/validation/json-schema';
import { schemaCheck } from '../common/validation/schema-check';
import type { SchemaFailure } from '../common/validation/schema-failures';
import type { Operation } from './reference';
import { checked, shown, shownAgain } from './schemas';

/*
 * What tools take: the arguments of an operation, as the reference describes them. What goes into headers has rules of
 * its own here, because not all of it could be sent.
 */

/** As answers show it; `*` and lists would let a change pass whatever the record has become. */
const IF_MATCH = {
  type: 'string',
  pattern: '^(?:W/)?"[\\w.-]{1,128}"$',
  'x-message': 'must be one if_match, exactly as an answer has shown it, with its quotes',
} as const satisfies JsonSchema;

const IDEMPOTENCY_KEY = {
  type: 'string',
  maxLength: 255,
  pattern: '^[!-~](?:[ -~]*[!-~])?$',
  'x-message': 'must be 1 to 255 printable ASCII characters, without blanks around them',
  description: 'Makes repeating the call safe.',
} as const satisfies JsonSchema;

export interface Takes {
  /** Parameters of the query that it takes. */
  query?: readonly string[];
  /** Does the change need the state that was read? */
  ifMatch?: 'required' | 'optional';
  /** May it be called again without making a second record? */
  isRepeatable?: boolean;
  /** What differs from the reference, and arguments of its own; false = not taken. */
  args?: Readonly<Record<string, JsonSchema | false>>;
  /** Fields are explained by another tool. */
  explainedElsewhere?: boolean;
}

export interface Input {
  /** What assistants are shown. */
  schema: JsonSchema;
  check: (args: unknown) => readonly SchemaFailure[];
}

/** The input of a tool that stands for an operation. */
export function inputOf(operation: Operation, takes: Takes): Input {
  const { query = [], ifMatch, isRepeatable = false, args = {}, explainedElsewhere = false } = takes;
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
  const schema = { type: 'object', properties, required, additionalProperties: false };
  const isExplained = (name: string): boolean =>
    explainedElsewhere && fields.some(([field]) => field === name);
  const toShow = Object.entries(properties).map(
    ([name, each]) => [name, isExplained(name) ? shownAgain(each) : shown(plain(name, each))] as const,
  );
  return {
    schema: { ...schema, properties: Object.fromEntries(toShow) },
    check: schemaCheck(checked(schema)),
  };
}

/** Needing no explanation, or explained by the instructions. */
const PLAIN = ['name', 'api_name', 'description', 'search', 'if_match'];

const plain = (name: string, schema: JsonSchema): JsonSchema =>
  PLAIN.includes(name) ? { ...schema, description: undefined } : schema;
