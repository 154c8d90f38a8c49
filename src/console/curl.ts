/** A request to the API. */
export interface ApiCall {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The path relative to the public URL. */
  path: string;
  body?: object;
  /** The ETag of the record as the user saw it. The API rejects the request if the record has changed since. */
  ifMatch?: string;
}

/** The environment variable with the token. */
export const TOKEN_VARIABLE = 'GOSSET_TOKEN';

/** Quotes a string as one shell word. */
export const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;

/** The `curl` command of a request, split over several lines. */
export function curlCommand(publicUrl: string, { method, path, body, ifMatch }: ApiCall): string {
  return [
    `curl -sS${method === 'GET' ? '' : ` -X ${method}`} ${shellWord(`${publicUrl}${path}`)}`,
    `-H "Authorization: Bearer $${TOKEN_VARIABLE}"`,
    ...(ifMatch === undefined ? [] : [`-H ${shellWord(`If-Match: ${ifMatch}`)}`]),
    ...(body === undefined
      ? []
      : [`-H 'Content-Type: application/json'`, `-d ${shellWord(JSON.stringify(body))}`]),
  ].join(' \\\n  ');
}
