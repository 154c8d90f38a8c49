/** A request to the API that changes something. */
export interface ApiCall {
  method: 'POST' | 'PATCH';
  /** Below the public address. */
  path: string;
  body?: object;
}

/** Where the command expects the token to be. */
export const TOKEN_VARIABLE = 'GOSSET_TOKEN';

/** A text as one word of a shell's command. */
export const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;

/** The command that sends a request, in several lines. */
export function curlCommand(publicUrl: string, { method, path, body }: ApiCall): string {
  return [
    `curl -sS -X ${method} ${shellWord(`${publicUrl}${path}`)}`,
    `-H "Authorization: Bearer $${TOKEN_VARIABLE}"`,
    ...(body === undefined
      ? []
      : [`-H 'Content-Type: application/json'`, `-d ${shellWord(JSON.stringify(body))}`]),
  ].join(' \\\n  ');
}
