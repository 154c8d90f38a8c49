import { randomBytes } from 'node:crypto';
import { Algorithm, hash, verify } from '@node-rs/argon2';
import { text } from '../common/validation/checks';

/** OWASP's recommended parameters for argon2id: 19 MiB, two passes, one lane. */
const OPTIONS = { algorithm: Algorithm.Argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 };

const MIN_PASSWORD = 10;
const MAX_PASSWORD = 1_024;

/** A hash that no password matches. It has the same parameters as real hashes. */
const NO_HASH = noHash();

function noHash(): string {
  const [salt, output] = [16, 32].map((size) => randomBytes(size).toString('base64').replace(/=+$/, ''));
  return `$argon2id$v=19$m=${OPTIONS.memoryCost},t=${OPTIONS.timeCost},p=${OPTIONS.parallelism}$${salt}$${output}`;
}

/** The reason why a password is not acceptable; null if the password is acceptable. */
export function passwordProblem(password: string): string | null {
  const length = [...password].length;
  if (length < MIN_PASSWORD || length > MAX_PASSWORD) {
    return `The password must have ${MIN_PASSWORD} to ${MAX_PASSWORD} characters, not ${length}.`;
  }
  if (/[\r\n]/.test(password)) {
    return 'The password must be a single line.';
  }
  if (password.trim() === '') {
    return 'The password consists only of spaces. Add letters, digits or other characters.';
  }
  const problem = text(MAX_PASSWORD)(password, 'password');
  return typeof problem === 'string' ? problem : null;
}

/** Hashes a password with argon2id, in PHC string format. */
export function hashPassword(password: string): Promise<string> {
  return hash(password, OPTIONS);
}

/**
 * Verifies a password. Verification takes the same time even if there is no stored hash, so callers cannot find out
 * whether a user exists.
 * @param storedHash null for unknown users and users without a password
 */
export async function verifyPassword(storedHash: string | null, password: string): Promise<boolean> {
  const isRight = await verify(storedHash ?? NO_HASH, password);
  return isRight && storedHash !== null;
}
