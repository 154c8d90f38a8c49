import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config';

/** A pending sign-in at the provider. */
export interface PendingSignIn {
  /** The page to open after sign-in; null for the home page. */
  next: string | null;
  /** The id of the session whose user confirms their identity; null for a sign-in that starts a new session. */
  confirms: number | null;
  /** Milliseconds since 1970. */
  startedAt: number;
}

/** The values that the provider's response must match. */
export interface Checks {
  state: string;
  nonce: string;
  /** PKCE code verifier. */
  verifier: string;
}

/** How long a sign-in at the provider can take, in seconds. */
export const MAX_SECONDS = 15 * 60;

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * The `state` parameter of authorization requests: the pending sign-in, encrypted with a key derived from the browser's
 * cookie and the server's secret. The server therefore stores nothing before sign-in, other browsers cannot decrypt the
 * state, and several tabs can sign in at the same time. The nonce and the code verifier are derived from the state and
 * the key.
 */
@Injectable()
export class OpenIdStates {
  constructor(private readonly config: Config) {}

  /** Encrypts a pending sign-in as a state. @param browser the secret in the browser's cookie */
  seal(pending: PendingSignIn, browser: string): Checks {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(CIPHER, this.keyOf(browser), iv);
    const text = Buffer.concat([cipher.update(JSON.stringify(pending), 'utf8'), cipher.final()]);
    return this.checksOf(Buffer.concat([iv, cipher.getAuthTag(), text]).toString('base64url'), browser);
  }

  /** Decrypts a state. @returns null if the state belongs to a different browser or is too old */
  open(state: string, browser: string): { pending: PendingSignIn; checks: Checks } | null {
    const pending = this.decrypt(Buffer.from(state, 'base64url'), browser);
    return pending === null || Date.now() - pending.startedAt > MAX_SECONDS * 1000
      ? null
      : { pending, checks: this.checksOf(state, browser) };
  }

  private decrypt(sealed: Buffer, browser: string): PendingSignIn | null {
    const [iv, tag, text] = [
      sealed.subarray(0, IV_BYTES),
      sealed.subarray(IV_BYTES, IV_BYTES + TAG_BYTES),
      sealed.subarray(IV_BYTES + TAG_BYTES),
    ];
    if (tag.length < TAG_BYTES) {
      return null;
    }
    const decipher = createDecipheriv(CIPHER, this.keyOf(browser), iv).setAuthTag(tag);
    try {
      return JSON.parse(
        Buffer.concat([decipher.update(text), decipher.final()]).toString('utf8'),
      ) as PendingSignIn;
    } catch {
      return null;
    }
  }

  private checksOf(state: string, browser: string): Checks {
    const derived = (purpose: string): string =>
      createHmac('sha256', this.keyOf(browser)).update(`${purpose}:${state}`).digest('base64url');
    return { state, nonce: derived('nonce'), verifier: derived('verifier') };
  }

  private keyOf(browser: string): Buffer {
    return createHmac('sha256', this.config.sessionSecret ?? '')
      .update(`openid:${browser}`)
      .digest();
  }
}
