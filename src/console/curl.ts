/** A write request to the API. */
export interface ApiCall {
  method: 'POST' | 'PATCH';
  /** The path below the public URL. */
  path: string;
  body?: object;
}

/** The environment variable with the token. */
export const TOKEN_VARIABLE = 'GOSSET_TOKEN';

/** Quotes a text as one shell word. */
export const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;

/** The `curl` command of a request, on several lines. */
export function curlCommand(publicUrl: string, { method, path, body }: ApiCall): string {
  return [
    `curl -sS -X ${method} ${shellWord(`${publicUrl}${path}`)}`,
    `-H "Authorization: Bearer $${TOKEN_VARIABLE}"`,
    ...(body === undefined
      ? []
      : [`-H 'Content-Type: application/json'`, `-d ${shellWord(JSON.stringify(body))}`]),
  ].join(' \\\n  ');
}
