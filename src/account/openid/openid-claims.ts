import { isInvisible, MAX_NAME } from '../../common/text/names';
import type { Account } from '../../users/user.entities';
import { EMAIL, isShortEmail, nameFromEmail, normalizeEmail } from '../../users/email';

/** The claims of an ID token or of the userinfo endpoint. */
export type Claims = Readonly<Record<string, unknown>>;

/** A person as identified by the provider. */
export interface Person {
  account: Account;
  /** The e-mail address, verified by the provider, in lower case. */
  email: string;
  name: string;
  /**
   * When the person last entered a password or otherwise proved their identity at the provider, in seconds since 1970;
   * null if unknown.
   */
  authenticatedAt: number | null;
}

/**
 * MySQL ignores trailing spaces when comparing, so an id that ends with a space could match the id of a different
 * account.
 */
const SUBJECT = /^[\x20-\x7e]{0,254}[\x21-\x7e]$/;

/** The provider does not state that the e-mail address is verified. The message says why, without personal data. */
export class UnverifiedEmailError extends Error {}

/** Whether the claims contain an e-mail address. */
export const hasEmail = ({ email }: Claims): boolean => typeof email === 'string' && email !== '';

/** Whether the claims contain an e-mail address, and state whether it is verified. */
export const describesEmail = (claims: Claims): boolean =>
  hasEmail(claims) && (claims.email_verified ?? claims.xms_edov ?? null) !== null;

/**
 * The person whom the claims describe.
 * @throws UnverifiedEmailError if there is no verified e-mail address
 * @throws Error if the subject is invalid
 */
export function personIn(claims: Claims): Person {
  const { iss: issuer, sub: subject, auth_time: time } = claims;
  if (typeof issuer !== 'string' || typeof subject !== 'string' || !SUBJECT.test(subject)) {
    throw new Error('The subject must be 1 to 255 ASCII characters and must not end with a space.');
  }
  const email = verifiedEmailIn(claims);
  return {
    account: { issuer, subject },
    email: normalizeEmail(email),
    name: nameIn(claims, email),
    authenticatedAt: typeof time === 'number' ? time : null,
  };
}

/**
 * The e-mail address that the provider has verified. Amazon Cognito sends `email_verified` as a string. Microsoft Entra
 * ID does not send it, but its optional claim `xms_edov` states whether the owner of the address's domain is verified.
 * @throws UnverifiedEmailError
 */
function verifiedEmailIn(claims: Claims): string {
  const { email, email_verified: isVerified, xms_edov: isDomainVerified } = claims;
  if (!hasEmail(claims)) {
    throw new UnverifiedEmailError('email is missing');
  }
  if (typeof email !== 'string' || !EMAIL.test(email) || !isShortEmail(email)) {
    throw new UnverifiedEmailError('email is not a valid address');
  }
  if (isVerified === undefined && isDomainVerified === undefined) {
    throw new UnverifiedEmailError('email_verified and xms_edov are missing');
  }
  if (isVerified !== undefined && isVerified !== true && isVerified !== 'true') {
    throw new UnverifiedEmailError('email_verified is not true');
  }
  if (isVerified === undefined && ![true, 1, '1', 'true'].some((yes) => yes === isDomainVerified)) {
    throw new UnverifiedEmailError('xms_edov is not true');
  }
  return email;
}

function nameIn({ name }: Claims, email: string): string {
  const given = typeof name === 'string' ? name.toWellFormed().replace(/\p{C}/gu, '').trim() : '';
  return isInvisible(given) ? nameFromEmail(email) : [...given].slice(0, MAX_NAME).join('');
}
