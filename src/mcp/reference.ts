import type { JsonSchema } from '../common/validation/json-schema';
import { schemaTest } from '../common/validation/schema-check';
import type { ApiRequest } from './api-port';
import { Fields, firstSentence, inlined, inlinedOnce, picked, projected } from './schemas';
import type { OperationText, ParameterText, PathText, ToolSource } from './tool-source';

export type Arguments = Readonly<Record<string, unknown>>;

/** An API operation, as described in the reference. */
export class Operation {
  /** The path parameters, by their names in tools, such as `project_id`. */
  readonly path: Readonly<Record<string, JsonSchema>>;
  readonly query: Readonly<Record<string, JsonSchema>>;
  /** Null if the operation has no body. */
  readonly body: JsonSchema | null;
  readonly summary: string;
  /** The first sentence of the operation's description in the reference. */
  readonly purpose: string;

  constructor(
    private readonly method: ApiRequest['method'],
    private readonly template: string,
    { parameters: ofPath = [] }: PathText,
    { parameters = [], summary = '', description = '', requestBody }: OperationText,
    schemas: ToolSource['schemas'],
  ) {
    const all = [...ofPath, ...parameters];
    this.path = schemasOf(all, 'path', idOf);
    this.query = schemasOf(all, 'query', (name) => name);
    const body = requestBody?.content['application/json']?.schema;
    this.body = body === undefined ? null : inlinedOnce(body, schemas);
    this.summary = summary.split(';')[0] ?? '';
    this.purpose = firstSentence(description.replaceAll('\n', ' '));
  }

  /** Converts arguments to path parameters, query parameters, headers and body fields. */
  request(args: Arguments): ApiRequest {
    const fields = Object.keys(this.body?.properties ?? {});
    return {
      method: this.method,
      path: this.template.replace(/\{(\w+)\}/g, (_, name: string) => String(args[idOf(name)])),
      query: only(Object.keys(this.query), args) as ApiRequest['query'],
      headers: {
        'if-match': args.if_match as string | undefined,
        'idempotency-key': args.idempotency_key as string | undefined,
      },
      ...(this.body === null ? {} : { body: only(fields, args) }),
    };
  }
}

const idOf = (name: string): string => `${name}_id`;

const only = (names: readonly string[], args: Arguments): Record<string, unknown> =>
  Object.fromEntries(names.filter((name) => name in args).map((name) => [name, args[name]]));

function schemasOf(
  parameters: readonly ParameterText[],
  place: string,
  toName: (name: string) => string,
): Record<string, JsonSchema> {
  return Object.fromEntries(
    parameters
      .filter((parameter) => parameter.in === place)
      .map(({ name, schema, description }) => [
        toName(name),
        // Path parameters need no description, because the instructions explain how to find ids.
        place === 'path' ? schema : { ...schema, description },
      ]),
  );
}

/** The response fields that a tool uses, checked against the reference. */
export class Shape<T> {
  private readonly fits: (value: unknown) => boolean;

  constructor(private readonly schema: JsonSchema) {
    this.fits = schemaTest(withoutFormats(schema));
  }

  /** @throws Error if the response has a different structure */
  take(answer: unknown): T {
    const value = projected(this.schema, answer);
    if (!this.fits(value)) {
      throw new Error('The API response does not match the reference.');
    }
    return value as T;
  }
}

/** Removes formats, which are meant only for readers of the reference. */
const withoutFormats = (schema: JsonSchema): JsonSchema =>
  JSON.parse(
    JSON.stringify(schema, (key, value: unknown) =>
      key === 'format' && typeof value === 'string' ? undefined : value,
    ),
  ) as JsonSchema;

const METHODS = { get: 'GET', post: 'POST', patch: 'PATCH' } as const;

/** The OpenAPI document, indexed by operation and record. */
export class Reference {
  private readonly operations = new Map<string, Operation>();

  constructor(private readonly source: ToolSource) {
    for (const [path, item] of Object.entries(source.paths)) {
      for (const method of ['get', 'post', 'patch'] as const) {
        const text = item[method];
        if (text?.operationId !== undefined && path.startsWith('/api/')) {
          const below = path.slice('/api'.length);
          this.operations.set(
            text.operationId,
            new Operation(METHODS[method], below, item, text, source.schemas),
          );
        }
      }
    }
  }

  /** @throws Error if the operation does not exist */
  operation(id: string): Operation {
    const operation = this.operations.get(id);
    if (operation === undefined) {
      throw new Error(`The reference has no operation ${id}.`);
    }
    return operation;
  }

  /** The schema of a record type. */
  record(name: string, fields?: Fields): JsonSchema {
    const schema = inlined({ $ref: `#/components/schemas/${name}` }, this.source.schemas);
    return fields === undefined ? schema : picked(schema, fields);
  }

  shape<T>(name: string, fields: Fields): Shape<T> {
    return new Shape<T>(this.record(name, fields));
  }

  /** Like `shape`, for a list of records. */
  shapes<T>(name: string, fields: Fields): Shape<T[]> {
    return new Shape<T[]>({ type: 'array', items: this.record(name, fields) });
  }
}
