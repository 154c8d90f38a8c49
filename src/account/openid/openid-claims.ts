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

/**
 * The person whom the claims describe; null if there is no verified e-mail address. @throws Error if the subject is
 * invalid
 */
export function personIn(claims: Claims): Person | null {
  const { iss: issuer, sub: subject, email, auth_time: time } = claims;
  if (typeof issuer !== 'string' || typeof subject !== 'string' || !SUBJECT.test(subject)) {
    throw new Error('The subject must be 1 to 255 ASCII characters and must not end with a space.');
  }
  if (typeof email !== 'string' || !EMAIL.test(email) || !isShortEmail(email) || !isVerified(claims)) {
    return null;
  }
  return {
    account: { issuer, subject },
    email: normalizeEmail(email),
    name: nameIn(claims, email),
    authenticatedAt: typeof time === 'number' ? time : null,
  };
}

/**
 * Whether the provider has verified the e-mail address. Amazon Cognito sends `email_verified` as a string. Microsoft
 * Entra ID does not send it, but its optional claim `xms_edov` states whether the owner of the address's domain is
 * verified.
 */
function isVerified({ email_verified: verified, xms_edov: isDomainVerified }: Claims): boolean {
  return verified === undefined
    ? [true, 1, '1', 'true'].some((yes) => yes === isDomainVerified)
    : verified === true || verified === 'true';
}

function nameIn({ name }: Claims, email: string): string {
  const given = typeof name === 'string' ? name.toWellFormed().replace(/\p{C}/gu, '').trim() : '';
  return isInvisible(given) ? nameFromEmail(email) : [...given].slice(0, MAX_NAME).join('');
}
