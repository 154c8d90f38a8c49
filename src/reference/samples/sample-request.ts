import type { OpenAPIObject } from '@nestjs/swagger';

export const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;
export type Method = (typeof METHODS)[number];

export type Credential = 'token' | 'client-key' | null;

/** A request built from an operation's own examples. */
export interface SampleRequest {
  method: Method;
  /** The public URL of the server. */
  server: string;
  /** The path with its parameters, such as `/api/projects/{project}`. */
  path: string;
  parameters: Readonly<Record<string, unknown>>;
  /** The address with the values of the parameters. A client key in it is {@link CLIENT_KEY_PLACE}. */
  url: string;
  credential: Credential;
  body: unknown;
  /** The media type of the response; null without a body. */
  accept: string | null;
}

/** The environment variable with the credential. */
export const VARIABLES = { token: 'GOSSET_TOKEN', 'client-key': 'GOSSET_CLIENT_KEY' } as const;

/** Stands for the client key in addresses: each project has another one, so the samples take it from the environment. */
export const CLIENT_KEY_PLACE = '{clientKey}';

type PathItem = OpenAPIObject['paths'][string];
export type Operation = NonNullable<PathItem['get']>;

interface Parameter {
  name: string;
  in: string;
  example?: unknown;
}

/** The sample request of an operation. */
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

/** Undefined without a body. The client key of a batch is sent like those of other requests. */
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

/** Null if the response to a request without options may have no body. */
function mediaTypeOf({ responses }: Operation): string | null {
  if ('204' in responses) {
    return null;
  }
  const success = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1];
  const types = Object.keys((success as { content?: object } | undefined)?.content ?? {});
  return types.includes('application/json') ? 'application/json' : (types[0] ?? null);
}
