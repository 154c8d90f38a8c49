import { AuthorizationResponseError } from 'openid-client';
import { UnverifiedEmailError } from './openid-claims';

/** Why a sign-in with the provider failed. */
export type OpenIdFailure =
  /** The provider does not respond, or is not the configured provider. */
  | 'unreachable'
  /** The provider denied the sign-in, or the person cancelled it. */
  | 'denied'
  /** The response is invalid, for example forged, replayed or expired. */
  | 'invalid'
  /** The provider does not confirm that the e-mail address is verified. */
  | 'unverified';

export class OpenIdError extends Error {
  constructor(readonly failure: OpenIdFailure) {
    super(failure);
  }
}

const textOf = (error: unknown, name: string): string | null => {
  const value: unknown = (error as Record<string, unknown> | null | undefined)?.[name];
  return typeof value === 'string' ? value : null;
};

const codeOf = (error: unknown): string | null => textOf(error, 'code');

const causeOf = (error: unknown): unknown => (error instanceof Error ? error.cause : undefined);

/** The status of the provider's response, which can also be the cause; 0 if there is none. */
const statusOf = (error: unknown): number =>
  Math.max(
    ...[error, causeOf(error)].map((each) => Number((each as { status?: unknown } | undefined)?.status ?? 0)),
  );

/** Whether the provider is unreachable, overloaded, or responds with a server error. */
const isUnanswered = (error: unknown): boolean =>
  ['fetch failed', 'terminated'].includes(textOf(error, 'message') ?? '') ||
  ['OAUTH_TIMEOUT', 'OAUTH_ABORT'].includes(codeOf(error) ?? '') ||
  ['server_error', 'temporarily_unavailable'].includes(textOf(error, 'error') ?? '') ||
  statusOf(error) === 429 ||
  statusOf(error) >= 500;

/** Classifies an error of a sign-in. */
export function failureOf(error: unknown): OpenIdFailure {
  if (error instanceof UnverifiedEmailError) {
    return 'unverified';
  }
  if (isUnanswered(error)) {
    return 'unreachable';
  }
  return error instanceof AuthorizationResponseError ? 'denied' : 'invalid';
}

/**
 * The reason on one line: the messages and codes of the error and its cause, and the status of the response. The log
 * must not contain the provider's response, so a cause is named only if it is an error, and its own cause never is.
 */
export function reasonOf(error: unknown): string {
  const cause = causeOf(error);
  const status = statusOf(error);
  return [
    textOf(error, 'message') ?? 'unknown',
    cause instanceof Error && cause.message !== textOf(error, 'message') ? cause.message : null,
    status === 0 ? null : `status ${status}`,
    ...new Set([textOf(error, 'error'), codeOf(error), codeOf(cause)]),
  ]
    .filter((part) => part !== null && part !== '')
    .join(', ')
    .replace(/\s+/g, ' ')
    .slice(0, 500);
}

/** The reason for an error of the token endpoint, which is the only one that checks the client secret. */
export const tokenReasonOf = (error: unknown): string =>
  statusOf(error) === 401 ? `${reasonOf(error)} (check OIDC_CLIENT_SECRET)` : reasonOf(error);
