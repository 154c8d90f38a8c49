import { literal, PYTHON_NOTATION } from './literal';
import { CLIENT_KEY_PLACE, type SampleRequest, VARIABLES } from './sample-request';

const HEADERS = {
  token: `{"Authorization": f"Bearer {os.environ['${VARIABLES.token}']}"}`,
  'client-key': `{"X-API-Key": os.environ["${VARIABLES['client-key']}"]}`,
} as const;

const KEY_IN_ADDRESS = `{os.environ['${VARIABLES['client-key']}']}`;

const addressOf = (url: string): string =>
  url.includes(CLIENT_KEY_PLACE)
    ? `f${JSON.stringify(url.replace(CLIENT_KEY_PLACE, KEY_IN_ADDRESS))}`
    : JSON.stringify(url);

/** The request in Python, using the `requests` package; null for a stream of events. */
export function pythonSample({ method, url, credential, body, accept }: SampleRequest): string | null {
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
    `    ${addressOf(url)},`,
    ...(credential === null ? [] : [`    headers=${HEADERS[credential]},`]),
    ...(body === undefined ? [] : [`    json=${literal(body, PYTHON_NOTATION, '    ')},`]),
    ')',
    'response.raise_for_status()',
    ...(accept === null ? [] : [`print(${result})`]),
  ].join('\n');
}
