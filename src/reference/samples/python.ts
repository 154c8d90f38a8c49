import { literal, PYTHON_NOTATION } from './literal';
import { type SampleRequest, VARIABLES } from './sample-request';

const HEADERS = {
  token: `{"Authorization": f"Bearer {os.environ['${VARIABLES.token}']}"}`,
  'client-key': `{"X-API-Key": os.environ["${VARIABLES['client-key']}"]}`,
} as const;

/** The request in Python with the package `requests`. A stream of events has none. */
export function pythonSample({ method, url, credential, body, accept }: SampleRequest): string | null {
  if (accept === 'text/event-stream') {
    return null;
  }
  const result = accept === 'application/json' ? 'response.json()' : 'response.text';
  return [
    ...(credential === null ? [] : ['import os', '']),
    'import requests',
    '',
    `response = requests.${method}(`,
    `    ${JSON.stringify(url)},`,
    ...(credential === null ? [] : [`    headers=${HEADERS[credential]},`]),
    ...(body === undefined ? [] : [`    json=${literal(body, PYTHON_NOTATION, '    ')},`]),
    ')',
    'response.raise_for_status()',
    ...(accept === null ? [] : [`print(${result})`]),
  ].join('\n');
}
