import { literal, TYPESCRIPT_NOTATION } from './literal';
import { CLIENT_KEY_PLACE, type SampleRequest, VARIABLES } from './sample-request';

const written = (value: unknown, indent: string): string => literal(value, TYPESCRIPT_NOTATION, indent);

/** The request using the typed client, or `fetch` if the request needs no token; null for a stream of events. */
export function typescriptSample(request: SampleRequest): string | null {
  if (request.accept === 'text/event-stream') {
    return null;
  }
  return request.credential === 'token' ? withClient(request) : withFetch(request);
}

function withClient({ method, server, path, parameters, body, accept }: SampleRequest): string {
  const hasParameters = Object.keys(parameters).length > 0;
  const options = [
    ...(hasParameters ? [`    params: { path: ${written(parameters, '    ')} },`] : []),
    ...(body === undefined ? [] : [`    body: ${written(body, '    ')},`]),
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
const addressOf = (url: string): string =>
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
    ...(body === undefined ? [] : [`  body: JSON.stringify(${written(body, '  ')}),`]),
  ];
  const given = options.length === 0 ? '' : `, {\n${options.join('\n')}\n}`;
  return [
    `const response = await fetch(${addressOf(url)}${given});`,
    `console.log(response.status, await response.${accept === 'application/json' ? 'json' : 'text'}());`,
  ].join('\n');
}
