import { Ajv2020, ErrorObject, ValidateFunction } from 'ajv/dist/2020';
import { type Failure, ValidationError } from '../errors/api-errors';
import { idOf, isTooDeep } from './values';
import type { JsonSchema } from './json-schema';
import { SchemaFailure, schemaFailures } from './schema-failures';

const FORMATS = {
  id: (text: string) => idOf(text) !== null,
  url: (text: string) => URL.canParse(text),
};

function createAjv(allErrors: boolean): Ajv2020 {
  const ajv = new Ajv2020({
    allErrors,
    verbose: allErrors,
    messages: false,
    allowUnionTypes: true,
    formats: FORMATS,
    strictTuples: false,
  });
  ajv.addVocabulary(['components', 'example', 'x-message']);
  ajv.addKeyword({
    keyword: 'x-maxDepth',
    schemaType: 'number',
    validate: (max: number, value: unknown) => !isTooDeep(value, max),
  });
  return ajv;
}

type References = Readonly<Record<string, JsonSchema | true>>;

/** Delays compiling, which takes milliseconds, until the first value has to be checked. */
function lazily<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

/**
 * All schemas share an ajv instance, because each instance compiles the meta-schema, which takes longer than compiling
 * most schemas.
 */
const withAllErrors = lazily(() => createAjv(true));
const withFirstError = lazily(() => createAjv(false));

const compiled = (ajv: Ajv2020, schema: JsonSchema, references: References): ValidateFunction =>
  ajv.compile({ ...schema, components: { schemas: references } });

/**
 * Compiles a schema to a function that returns whether a value is valid.
 * @param references the schemas that the schema refers to by `#/components/schemas/<name>`
 */
export function schemaTest(schema: JsonSchema, references: References = {}): (value: unknown) => boolean {
  const validate = lazily(() => compiled(withFirstError(), schema, references));
  return (value) => validate()(value);
}

/** Compiles a schema to a function that returns all errors in ajv's format. */
export function schemaErrors(
  schema: JsonSchema,
  references: References = {},
): (value: unknown) => ErrorObject[] {
  const validate = lazily(() => compiled(withAllErrors(), schema, references));
  return (value) => (validate()(value) ? [] : (validate().errors ?? []));
}

/** A rule that a schema cannot express. It must accept values of any type. */
export type SchemaRule = (body: unknown) => Failure[];

/**
 * Compiles the schema of a request body to a check that returns all failures, in the order of the body.
 * @param rule an additional check
 * @param maxErrors the maximum number of schema errors that are described
 */
export function schemaCheck(
  schema: JsonSchema,
  rule: SchemaRule = () => [],
  maxErrors = Infinity,
): (body: unknown) => SchemaFailure[] {
  const errors = schemaErrors(schema);
  return (body) => {
    const found = errors(body).slice(0, maxErrors);
    const ruled = rule(body);
    return found.length === 0 && ruled.length === 0 ? [] : schemaFailures(schema, body, found, ruled);
  };
}

/**
 * Creates a function that reads request bodies.
 * @throws ValidationError with all failures
 */
export function bodyReader(schema: JsonSchema, rule?: SchemaRule): (body: unknown) => object {
  const check = schemaCheck(schema, rule);
  return (body) => {
    const failures = check(body);
    if (failures.length > 0) {
      throw new ValidationError(failures);
    }
    return body as object;
  };
}
