import type { ApiAnswer } from './api-port';

/** The API has refused what a tool asked for. */
export class RefusedError extends Error {
  constructor(readonly answer: ApiAnswer) {
    super(refusalText(answer));
  }
}

/** What a tool was asked for makes no sense, by what the API has answered. */
export class MistakenError extends Error {}

interface RefusalBody {
  message?: string;
  errors?: Record<string, string[]>;
  allowed_statuses?: string[];
  role?: string;
  permission?: string;
}

/** What an assistant, or the person it works for, can do about a refusal: by status, or by what the API says. */
const ADVICE: Readonly<Record<string, string>> = {
  401: 'The token is missing, mistyped or revoked. The person can make a new one on the settings page, under API Tokens.',
  412: 'The record has changed since you read it. Read it again, look at what is different, and repeat the change with the new if_match if it still makes sense.',
  429: 'Requests are limited per user and minute.',
  'Not Found':
    'It does not exist, or the owner of the token may not see it. Take ids from list_teams, list_projects and the other lists.',
  'No result found for this experiment':
    'Nobody has taken part yet. Is the experiment running, and does the site carry the script that snippet_url of the project names?',
  'Missing required ability: write':
    'The token is read only. Whoever owns it can make one with the permission Read & write on the settings page, under API Tokens.',
  'This action is unauthorized.':
    'The role of the owner of the token does not allow this. Somebody whose role does has to do it.',
};

/** Everything that an answer says about why it is a refusal. */
export function refusalText({ status, headers, body }: ApiAnswer): string {
  const { message, errors, allowed_statuses, role, permission } = Object(body) as RefusalBody;
  const wait = headers['retry-after'];
  return [
    `Refused with status ${status}: ${message ?? 'no reason given'}`,
    ...Object.entries(errors ?? {}).flatMap(([field, problems]) =>
      problems.map((problem) => `- ${field}: ${problem}`),
    ),
    ...(allowed_statuses ? [`allowed_statuses: ${allowed_statuses.join(', ') || 'none'}`] : []),
    ...(role === undefined ? [] : [`role: ${role}, missing permission: ${permission}`]),
    ...(wait === undefined ? [] : [`Wait ${wait} seconds before you try again.`]),
    ...[ADVICE[status] ?? ADVICE[message ?? ''] ?? []].flat(),
  ].join('\n');
}
