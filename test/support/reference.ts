import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { OpenAPIObject } from '@nestjs/swagger';
import Ajv, { ErrorObject, ValidateFunction } from 'ajv/dist/2020';
import type { Config } from '../../src/config/config';
import { buildDocument } from '../../src/platform/reference/reference';
import type { Call } from './client';
import { isDeliveryPath } from './routes';

type Json = Record<string, unknown>;

/** A header with a reference is never required. */
type Headers = Record<string, { required?: boolean; $ref?: string }>;

interface Operation {
  responses: Record<string, { headers?: Headers; content?: object }>;
}

/** The optional schemas of a response, depending on the request: partial experiments, lite variations and dry runs. */
interface Forms {
  partial: boolean;
  lite: boolean;
  dryRun: boolean;
}

/**
 * Headers that a response must have if the reference lists them, unless it is streamed as NDJSON. The response to a dry
 * run must not have these headers, because a dry run stores nothing.
 */
const STORED_ONLY = ['ETag', 'Location'];

/** Headers that the reference must list for each response that has them. All other `X-` headers must be listed, too. */
const DESCRIBED = ['etag', 'link', 'location', 'retry-after', 'www-authenticate', 'idempotency-replayed'];
/** Headers of all responses, which do not concern clients of the API. */
const UNIVERSAL = ['x-content-type-options', 'x-frame-options', 'x-request-id', 'x-robots-tag'];

const NOWHERE = [404, 405, 429];
const WITHOUT_BODY = [204, 304];
const MICROSECONDS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;
const JSON_TYPE = 'application/json; charset=utf-8';

/** The content type of lists that are also available as NDJSON. */
const LINES_TYPE = 'application/x-ndjson';

/** The OpenAPI document of an application, with compiled schemas. */
class Reference {
  private readonly validators = new Map<string, ValidateFunction>();
  private readonly ajvs = new Map<string, Ajv>();
  private readonly paths: { path: string; pattern: RegExp }[];

  constructor(private readonly document: OpenAPIObject) {
    this.paths = Object.keys(document.paths)
      .sort((a, b) => a.split('{').length - b.split('{').length)
      .map((path) => ({ path, pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}/?$`) }));
  }

  /** Describes how a response violates the reference; null if it conforms. */
  problem(call: Call): string | null {
    const [address = '', query = ''] = call.url.split('?');
    const method = call.method === 'HEAD' ? 'get' : call.method.toLowerCase();
    const path = this.paths.find(
      (known) => known.pattern.test(address) && this.operation(known.path, method),
    )?.path;
    const operation = path === undefined ? undefined : this.operation(path, method);
    if (path === undefined || operation === undefined) {
      return NOWHERE.includes(call.status) ? null : 'the reference has no such operation';
    }
    const response = operation.responses[call.status];
    if (response === undefined) {
      return `the reference lists only ${Object.keys(operation.responses).join(', ')}`;
    }
    const headers = headersProblem(call, response.headers ?? {});
    if (headers !== null) {
      return headers;
    }
    if (response.content !== undefined && !('application/json' in response.content)) {
      return typeProblem(call, `${Object.keys(response.content)[0]}; charset=utf-8`);
    }
    if (call.headers['content-type'] === LINES_TYPE && LINES_TYPE in (response.content ?? {})) {
      return null;
    }
    return call.method === 'HEAD' || WITHOUT_BODY.includes(call.status)
      ? noBodyProblem(call)
      : this.bodyProblem(call, ['paths', path, method, 'responses', String(call.status)], {
          ...formsAskedFor(query),
          dryRun: isDryRun(call),
        });
  }

  private operation(path: string, method: string): Operation | undefined {
    return (this.document.paths[path] as Record<string, Operation | undefined>)[method];
  }

  private bodyProblem(call: Call, pointer: string[], forms: Forms): string | null {
    const validate = this.validator([...pointer, 'content', 'application/json', 'schema'], forms);
    return (
      typeProblem(call, JSON_TYPE) ??
      idProblem(call) ??
      (validate(call.body) ? null : describe(validate.errors ?? []))
    );
  }

  private validator(pointer: string[], forms: Forms): ValidateFunction {
    const reference = pointer.map((part) => part.replaceAll('~', '~0').replaceAll('/', '~1')).join('/');
    const key = JSON.stringify([reference, forms]);
    const known =
      this.validators.get(key) ?? this.ajv(forms).compile({ $ref: `reference#/${encodeURI(reference)}` });
    this.validators.set(key, known);
    return known;
  }

  private ajv(forms: Forms): Ajv {
    const key = JSON.stringify(forms);
    const known = this.ajvs.get(key) ?? createAjv(this.document, forms);
    this.ajvs.set(key, known);
    return known;
  }
}

/** Responses are validated against a copy of the document in which undocumented fields are errors. */
function createAjv(document: OpenAPIObject, { partial, lite, dryRun }: Forms): Ajv {
  const ajv = new Ajv({ strict: false, allErrors: true, formats: { 'date-time': MICROSECONDS, uri: true } });
  const copy = close(document) as { components: { schemas: Json } };
  const impossible = [
    ...(partial ? [] : ['PartialExperimentRecord']),
    ...(lite ? [] : ['LiteVariationRecord']),
    ...(dryRun ? [] : Object.keys(copy.components.schemas).filter((name) => name.startsWith('DryRun'))),
  ];
  for (const name of impossible) {
    copy.components.schemas[name] = { not: {} };
  }
  return ajv.addSchema({ $id: 'reference', ...copy });
}

function close(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(close);
  }
  if (typeof value !== 'object' || value === null) {
    return value;
  }
  const copy = Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, close(entry)]));
  const isOpen = copy.type === 'object' && 'properties' in copy && !('additionalProperties' in copy);
  return isOpen ? { ...copy, additionalProperties: false } : copy;
}

function formsAskedFor(query: string): Omit<Forms, 'dryRun'> {
  const parameters = new URLSearchParams(query);
  return { partial: parameters.has('fields'), lite: parameters.has('variations') };
}

const isDryRun = ({ headers }: Call): boolean => headers['x-dry-run'] === 'true';
const isStream = ({ headers }: Call): boolean => headers['content-type'] === 'application/x-ndjson';

function headersProblem(call: Call, described: Headers): string | null {
  const has = (name: string): boolean => call.headers[name.toLowerCase()] !== undefined;
  const isNeeded = (name: string): boolean =>
    described[name]?.required === true || (STORED_ONLY.includes(name) && !isDryRun(call) && !isStream(call));
  const missing = Object.keys(described).filter((name) => isNeeded(name) && !has(name));
  const excess = isDryRun(call) ? STORED_ONLY.filter(has) : [];
  if (missing.length > 0) {
    return `without the headers ${missing.join(', ')}`;
  }
  const unlisted = unlistedHeaders(call, described);
  if (unlisted.length > 0) {
    return `with headers that the reference does not list: ${unlisted.join(', ')}`;
  }
  return excess.length > 0 ? `with the headers ${excess.join(', ')}, though nothing was stored` : null;
}

function unlistedHeaders({ headers }: Call, described: Headers): string[] {
  const listed = new Set([...UNIVERSAL, ...Object.keys(described).map((name) => name.toLowerCase())]);
  return Object.keys(headers).filter(
    (name) => (name.startsWith('x-') || DESCRIBED.includes(name)) && !listed.has(name),
  );
}

/** Describes the problem if the response to a dry run contains an id of the new record; null otherwise. */
function idProblem(call: Call): string | null {
  const isMade = call.status === 201 && isDryRun(call);
  const made = (call.body ?? {}) as Json;
  // The id of a member is that of the user, who may already exist.
  const hasId = 'user_id' in made ? made.invitation_url !== null : made.id !== null;
  return isMade && hasId ? 'with an id, though nothing was stored' : null;
}

function typeProblem({ headers: { 'content-type': type } }: Call, expected: string): string | null {
  return type === expected ? null : `of type ${type ?? 'none'} instead of ${expected}`;
}

function noBodyProblem({ body }: Call): string | null {
  return body === undefined ? null : 'with a body';
}

function describe(errors: readonly ErrorObject[]): string {
  const lines = errors.map(
    ({ instancePath, message, params }) => `${instancePath} ${message ?? ''} ${JSON.stringify(params)}`,
  );
  return `with a body that the reference does not describe:\n${lines.join('\n')}`;
}

const REFERENCES: unique symbol = Symbol.for('gosset.references');
const worker = globalThis as { [REFERENCES]?: Map<string, Reference> };
/**
 * Cached references, by settings and by the contents of the OpenAPI document. Settings can affect routes, but most of
 * them do not change the document. All test files of a worker share the cache, because compiling schemas is slow.
 */
const references = (worker[REFERENCES] ??= new Map<string, Reference>());

/** References are also cached by application, because they are needed for every response. */
const ofApplication = new WeakMap<NestFastifyApplication, Reference>();

function referenceOf(app: NestFastifyApplication, config: Config): Reference {
  const reference = ofApplication.get(app) ?? referenceBySettings(app, config);
  ofApplication.set(app, reference);
  return reference;
}

function referenceBySettings(app: NestFastifyApplication, config: Config): Reference {
  const settings = JSON.stringify({ ...config, database: null, cacheDir: null, publicUrl: null });
  const known = references.get(settings) ?? referenceFor(buildDocument(app, config));
  references.set(settings, known);
  return known;
}

function referenceFor(document: OpenAPIObject): Reference {
  const contents = JSON.stringify([document.paths, document.components]);
  const known = references.get(contents) ?? new Reference(document);
  references.set(contents, known);
  return known;
}

/** Compares a response with the reference. @throws Error that lists all differences */
export function checkAgainstReference(app: NestFastifyApplication, config: Config, call: Call): void {
  if (!call.url.startsWith('/api') && !isDeliveryPath(call.url.split('?')[0])) {
    return;
  }
  const problem = referenceOf(app, config).problem(call);
  if (problem !== null) {
    throw new Error(
      `${call.method} ${call.url} answered ${call.status}, ${problem}\n${JSON.stringify(call.body)}`,
    );
  }
}
