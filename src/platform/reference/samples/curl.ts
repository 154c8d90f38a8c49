import { JSON_NOTATION, literal } from './literal';
import { CLIENT_KEY_PLACE, type SampleRequest, VARIABLES } from './sample-request';

const HEADERS = {
  token: `-H "Authorization: Bearer $${VARIABLES.token}"`,
  'client-key': `-H "X-API-Key: $${VARIABLES['client-key']}"`,
} as const;

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** The URL, in double quotes if it contains a shell variable, otherwise in single quotes. */
const addressOf = (url: string): string =>
  url.includes(CLIENT_KEY_PLACE)
    ? `"${url.replace(CLIENT_KEY_PLACE, `$${VARIABLES['client-key']}`)}"`
    : quoted(url);

/** The request as a `curl` command. */
export function curlSample({ method, url, credential, body, accept }: SampleRequest): string {
  const options = `-sS${accept === 'text/event-stream' ? 'N' : ''}`;
  const verb = method === 'get' ? '' : ` -X ${method.toUpperCase()}`;
  const data = [`-H 'Content-Type: application/json'`, `-d ${quoted(literal(body, JSON_NOTATION))}`];
  return [
    `curl ${options}${verb} ${addressOf(url)}`,
    ...(credential === null ? [] : [HEADERS[credential]]),
    ...(accept === 'application/json' ? [`-H 'Accept: application/json'`] : []),
    ...(body === undefined ? [] : data),
  ].join(' \\\n  ');
}
