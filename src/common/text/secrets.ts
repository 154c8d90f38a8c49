import { createHash, randomBytes } from 'node:crypto';

const BYTES = 32;

/** A secret of `BYTES` bytes in base64url. */
const FORMAT = /^[\w-]{43}$/;

/** A secret in base64url for a session, form or link. It has 256 random bits, so it cannot be guessed. */
export const newSecret = (): string => randomBytes(BYTES).toString('base64url');

/** Whether a string has the format of a secret. Other strings need no lookup. */
export const isSecret = (text: string): boolean => FORMAT.test(text);

/**
 * The form in which a session's or an invitation's secret is stored. 256 random bits need neither a salt nor a slow
 * hash.
 */
export const hashOfSecret = (secret: string): string => createHash('sha256').update(secret).digest('hex');
