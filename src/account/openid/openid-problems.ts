import type { Identification } from '../../users/identities';
import type { OpenIdFailure } from './openid-failures';

/** Why a sign-in with the provider failed. */
export type OpenIdProblem =
  | OpenIdFailure
  | Exclude<Identification['outcome'], 'identified'>
  /** The state does not belong to a sign-in of this browser, or the sign-in began too long ago. */
  | 'expired'
  /** The person is not the user of the session that needs the confirmation. */
  | 'other user'
  /** The provider does not confirm that the person has just entered the password. */
  | 'not again';

interface Explanation {
  status: number;
  text: (provider: string) => string;
}

const EXPLANATIONS: Readonly<Record<OpenIdProblem, Explanation>> = {
  unreachable: {
    status: 502,
    text: (provider) =>
      `${provider} does not respond. Try again later. If the problem persists, contact a server administrator.`,
  },
  denied: {
    status: 422,
    text: (provider) => `${provider} refused the sign-in, or the sign-in was cancelled.`,
  },
  invalid: {
    status: 422,
    text: (provider) => `The response from ${provider} was invalid. Sign in again.`,
  },
  expired: {
    status: 422,
    text: () => 'This sign-in has expired or was started in another browser. Sign in again.',
  },
  unverified: {
    status: 403,
    text: (provider) =>
      `${provider} has not verified your e-mail address. Verify the address there, then sign in again.`,
  },
  unknown: {
    status: 403,
    text: () => 'No user has your e-mail address. Ask a team admin to add you.',
  },
  disabled: {
    status: 403,
    text: () => 'Your Gosset account is disabled. Contact a server administrator.',
  },
  taken: {
    status: 403,
    text: (provider) =>
      `Your e-mail address is already linked to a different ${provider} account. Ask a server administrator to unlink that account.`,
  },
  'other user': {
    status: 403,
    text: (provider) => `You signed in to ${provider} as a different user. Your identity was not confirmed.`,
  },
  'not again': {
    status: 403,
    text: (provider) =>
      `${provider} did not confirm that you have just entered your password. Sign out, sign in again and continue within 15 minutes.`,
  },
};

/** The response status and the message for a problem. */
export function explained(problem: OpenIdProblem, provider: string): { status: number; message: string } {
  const { status, text } = EXPLANATIONS[problem];
  return { status, message: text(provider) };
}
