import type { ApiAnswer } from './api-port';

/** Thrown if the API rejects a tool's request. */
export class RefusedError extends Error {
  /** @param advice instead of the advice for all tools */
  constructor(
    readonly answer: ApiAnswer,
    advice?: string,
  ) {
    super(refusalText(answer, advice));
  }
}

/** Thrown if the API's response shows that the tool's arguments are wrong. */
export class MistakenError extends Error {}

export interface RefusalBody {
  message?: string;
  code?: string;
  errors?: Record<string, string[]>;
  allowed_statuses?: string[];
  role?: string;
  permission?: string;
}

/** Advice after a rejection, by status or by message, for the assistant or the person that it works for. */
const ADVICE: Readonly<Record<string, string>> = {
  401: 'The token is missing, mistyped or revoked. The user can create a new one on the settings page, under API tokens.',
  412: 'The record has changed since you read it. Read it again, look at what has changed, and repeat the change with the new if_match if it still makes sense.',
  429: 'The number of requests per minute is limited for each user.',
  'Not Found':
    'The record does not exist, or the owner of the token may not see it. Take ids from list_teams, list_projects and the other lists.',
  'No result found for this experiment':
    'There are no participants yet. Is the experiment running, and does the site load the script at snippet_url of the project?',
  'Missing required ability: write':
    'The token is read only. Its owner can create one with the permission Read & write on the settings page, under API tokens.',
  'This action is unauthorized.':
    "The token owner's role does not allow this. Someone with a sufficient role must do it.",
};

/** All information in an error response. */
function refusalText({ status, headers, body }: ApiAnswer, advice?: string): string {
  const { message, code, errors, allowed_statuses, role, permission } = Object(body) as RefusalBody;
  const wait = headers['retry-after'];
  return [
    `Rejected with status ${status}: ${message ?? 'no reason given'}`,
    ...Object.entries(errors ?? {}).flatMap(([field, problems]) =>
      problems.map((problem) => `- ${field}: ${problem}`),
    ),
    ...(allowed_statuses ? [`allowed_statuses: ${allowed_statuses.join(', ') || 'none'}`] : []),
    ...(role === undefined ? [] : [`role: ${role}, missing permission: ${permission}`]),
    ...(wait === undefined ? [] : [`Wait ${wait} seconds before you try again.`]),
    ...[advice ?? ADVICE[status] ?? ADVICE[message ?? ''] ?? []].flat(),
    ...(code === undefined ? [] : [`code: ${code}`]),
  ].join('\n');
}
