import { createHash, randomBytes } from 'node:crypto';

const BYTES = 32;

/** As many bytes in base64url. */
const FORMAT = /^[\w-]{43}$/;

/** A secret in base64url, for a session, form or link. Its 256 random bits cannot be guessed. */
export const newSecret = (): string => randomBytes(BYTES).toString('base64url');

/** Whether a text has the format of a secret. No other text needs to be looked up. */
export const isSecret = (text: string): boolean => FORMAT.test(text);

/** The form in which the secret of a session or an invitation is stored: 256 random bits need no salt and no slow hash. */
export const hashOfSecret = (secret: string): string => createHash('sha256').update(secret).digest('hex');
