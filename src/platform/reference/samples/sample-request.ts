import type { OpenAPIObject } from '@nestjs/swagger';

export const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;
export type Method = (typeof METHODS)[number];

export type Credential = 'token' | 'client-key' | null;

/** A request built from an operation's examples. */
export interface SampleRequest {
  method: Method;
  /** The public URL of the server. */
  server: string;
  /** The path before its parameters are replaced, such as `/api/projects/{project}`. */
  path: string;
  parameters: Readonly<Record<string, unknown>>;
  /** The URL with the parameter values filled in. Instead of a client key, it contains {@link CLIENT_KEY_PLACE}. */
  url: string;
  credential: Credential;
  body: unknown;
  /** The media type of the response; null if it has no body. */
  accept: string | null;
}

/** The environment variables that contain the credentials. */
export const VARIABLES = { token: 'GOSSET_TOKEN', 'client-key': 'GOSSET_CLIENT_KEY' } as const;

/**
 * Placeholder for the client key in URLs. The key differs between projects, so the samples read it from the
 * environment.
 */
export const CLIENT_KEY_PLACE = '{clientKey}';

type PathItem = OpenAPIObject['paths'][string];
export type Operation = NonNullable<PathItem['get']>;

interface Parameter {
  name: string;
  in: string;
  example?: unknown;
}

/** The sample request for an operation. */
export function sampleRequest(
  server: string,
  path: string,
  method: Method,
  item: PathItem,
  operation: Operation,
): SampleRequest {
  const described = [...(item.parameters ?? []), ...(operation.parameters ?? [])] as Parameter[];
  const parameters = Object.fromEntries(
    described.filter((parameter) => parameter.in === 'path').map(({ name, example }) => [name, example]),
  );
  const address = path.replace(/\{(\w+)\}/g, (place, name: string) =>
    place === CLIENT_KEY_PLACE ? place : encodeURIComponent(String(parameters[name])),
  );
  const credential = credentialOf(operation);
  return {
    method,
    server,
    path,
    parameters,
    url: `${server}${address}`,
    credential,
    body: bodyOf(operation, credential),
    accept: mediaTypeOf(operation),
  };
}

function credentialOf({ security = [] }: Operation): Credential {
  const [first] = security;
  if (first === undefined) {
    return null;
  }
  return 'bearer' in first ? 'token' : 'client-key';
}

interface Content {
  example?: unknown;
  examples?: Record<string, { value: unknown }>;
}

/**
 * The body; undefined if there is none. It contains no client key, because samples for batches send the key in a
 * header, as all other samples do.
 */
function bodyOf({ requestBody }: Operation, credential: Credential): unknown {
  const content = (requestBody as { content: Record<string, Content> } | undefined)?.content[
    'application/json'
  ];
  const example = content?.example ?? content?.examples?.example?.value;
  if (typeof example !== 'object' || example === null || Object.keys(example).length === 0) {
    return undefined;
  }
  if (credential !== 'client-key' || !('writeKey' in example)) {
    return example;
  }
  const { writeKey: _key, ...body } = example;
  return body;
}

/** The media type of a successful response; null if it may have no body. */
function mediaTypeOf({ responses }: Operation): string | null {
  if ('204' in responses) {
    return null;
  }
  const success = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1];
  const types = Object.keys((success as { content?: object } | undefined)?.content ?? {});
  return types.includes('application/json') ? 'application/json' : (types[0] ?? null);
}
