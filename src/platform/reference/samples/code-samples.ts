import type { OpenAPIObject } from '@nestjs/swagger';
import { JSON_NOTATION, literal, PYTHON_NOTATION, TYPESCRIPT_NOTATION } from './literal';
import {
  CLIENT_KEY_PLACE,
  METHODS,
  type Operation,
  sampleRequest,
  type SampleRequest,
  VARIABLES,
} from './sample-request';

/** A sample in the format of `x-codeSamples`. */
export interface CodeSample {
  lang: string;
  label: string;
  source: string;
}

const CURL_HEADERS = {
  token: `-H "Authorization: Bearer $${VARIABLES.token}"`,
  'client-key': `-H "X-API-Key: $${VARIABLES['client-key']}"`,
} as const;

const shellQuoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** The URL, in double quotes if it contains a shell variable, otherwise in single quotes. */
const curlAddress = (url: string): string =>
  url.includes(CLIENT_KEY_PLACE)
    ? `"${url.replace(CLIENT_KEY_PLACE, `$${VARIABLES['client-key']}`)}"`
    : shellQuoted(url);

/** The request as a `curl` command. */
function curlSample({ method, url, credential, body, accept }: SampleRequest): string {
  const options = `-sS${accept === 'text/event-stream' ? 'N' : ''}`;
  const verb = method === 'get' ? '' : ` -X ${method.toUpperCase()}`;
  const data = [`-H 'Content-Type: application/json'`, `-d ${shellQuoted(literal(body, JSON_NOTATION))}`];
  return [
    `curl ${options}${verb} ${curlAddress(url)}`,
    ...(credential === null ? [] : [CURL_HEADERS[credential]]),
    ...(accept === 'application/json' ? [`-H 'Accept: application/json'`] : []),
    ...(body === undefined ? [] : data),
  ].join(' \\\n  ');
}

const typescriptLiteral = (value: unknown, indent: string): string =>
  literal(value, TYPESCRIPT_NOTATION, indent);

/** The request using the typed client, or `fetch` if the request needs no token; null for a stream of events. */
function typescriptSample(request: SampleRequest): string | null {
  if (request.accept === 'text/event-stream') {
    return null;
  }
  return request.credential === 'token' ? withClient(request) : withFetch(request);
}

function withClient({ method, server, path, parameters, body, accept }: SampleRequest): string {
  const hasParameters = Object.keys(parameters).length > 0;
  const options = [
    ...(hasParameters ? [`    params: { path: ${typescriptLiteral(parameters, '    ')} },`] : []),
    ...(body === undefined ? [] : [`    body: ${typescriptLiteral(body, '    ')},`]),
    ...(accept === null || accept === 'application/json' ? [] : [`    parseAs: 'text',`]),
  ];
  const name = `gosset.${method.toUpperCase()}('${path}'`;
  const call = options.length === 0 ? `${name})` : `\n  ${name}, {\n${options.join('\n')}\n  }),\n`;
  return [
    `import { createGosset, ok } from '@gosset/client';`,
    '',
    'const gosset = createGosset({',
    `  url: '${server}',`,
    `  token: process.env.${VARIABLES.token} ?? '',`,
    '});',
    `${accept === null ? '' : 'const answer = '}await ok(${call});`,
    ...(accept === null ? [] : ['console.log(answer);']),
  ].join('\n');
}

/** The URL as a template literal if it contains a variable, otherwise as a string. */
const typescriptAddress = (url: string): string =>
  url.includes(CLIENT_KEY_PLACE)
    ? `\`${url.replace(CLIENT_KEY_PLACE, `\${process.env.${VARIABLES['client-key']}}`)}\``
    : `'${url}'`;

function withFetch({ method, url, credential, body, accept }: SampleRequest): string {
  const headers = [
    ...(accept === 'application/json' ? [`    accept: 'application/json',`] : []),
    ...(body === undefined ? [] : [`    'content-type': 'application/json',`]),
    ...(credential === null ? [] : [`    'x-api-key': process.env.${VARIABLES['client-key']} ?? '',`]),
  ];
  const options = [
    ...(method === 'get' ? [] : [`  method: '${method.toUpperCase()}',`]),
    ...(headers.length === 0 ? [] : [`  headers: {\n${headers.join('\n')}\n  },`]),
    ...(body === undefined ? [] : [`  body: JSON.stringify(${typescriptLiteral(body, '  ')}),`]),
  ];
  const given = options.length === 0 ? '' : `, {\n${options.join('\n')}\n}`;
  return [
    `const response = await fetch(${typescriptAddress(url)}${given});`,
    `console.log(response.status, await response.${accept === 'application/json' ? 'json' : 'text'}());`,
  ].join('\n');
}

const PYTHON_HEADERS = {
  token: `{"Authorization": f"Bearer {os.environ['${VARIABLES.token}']}"}`,
  'client-key': `{"X-API-Key": os.environ["${VARIABLES['client-key']}"]}`,
} as const;

const PYTHON_KEY = `{os.environ['${VARIABLES['client-key']}']}`;

const pythonAddress = (url: string): string =>
  url.includes(CLIENT_KEY_PLACE)
    ? `f${JSON.stringify(url.replace(CLIENT_KEY_PLACE, PYTHON_KEY))}`
    : JSON.stringify(url);

/** The request in Python, using the `requests` package; null for a stream of events. */
function pythonSample({ method, url, credential, body, accept }: SampleRequest): string | null {
  if (accept === 'text/event-stream') {
    return null;
  }
  const result = accept === 'application/json' ? 'response.json()' : 'response.text';
  const usesVariable = credential !== null || url.includes(CLIENT_KEY_PLACE);
  return [
    ...(usesVariable ? ['import os', ''] : []),
    'import requests',
    '',
    `response = requests.${method}(`,
    `    ${pythonAddress(url)},`,
    ...(credential === null ? [] : [`    headers=${PYTHON_HEADERS[credential]},`]),
    ...(body === undefined ? [] : [`    json=${literal(body, PYTHON_NOTATION, '    ')},`]),
    ')',
    'response.raise_for_status()',
    ...(accept === null ? [] : [`print(${result})`]),
  ].join('\n');
}

const LANGUAGES: { lang: string; label: string; write: (request: SampleRequest) => string | null }[] = [
  { lang: 'Shell', label: 'curl', write: curlSample },
  { lang: 'TypeScript', label: 'TypeScript', write: typescriptSample },
  { lang: 'Python', label: 'Python', write: pythonSample },
];

/** Samples for a request, in each language that can express the request. */
const codeSamples = (request: SampleRequest): CodeSample[] =>
  LANGUAGES.flatMap(({ lang, label, write }) => {
    const source = write(request);
    return source === null ? [] : [{ lang, label, source }];
  });

/** Adds samples, built from each operation's examples, to all operations in a document. */
export function addCodeSamples(document: OpenAPIObject, server: string): void {
  for (const [path, item] of Object.entries(document.paths)) {
    for (const method of METHODS) {
      const operation: (Operation & { 'x-codeSamples'?: CodeSample[] }) | undefined = item[method];
      if (operation !== undefined) {
        operation['x-codeSamples'] = codeSamples(sampleRequest(server, path, method, item, operation));
      }
    }
  }
}
