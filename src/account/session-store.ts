import type { Session } from 'fastify';
import type { SessionStore as PluginStore } from '@fastify/session';
import { Injectable } from '@nestjs/common';
import type { Micros } from '../common/time/clock';
import { NewSession, Sessions } from '../users/sessions';
import { CsrfProtection } from './csrf';

declare module 'fastify' {
  interface Session {
    /** Whether the session now expires later than the browser's cookie. */
    isExtended?: boolean;
    /** The user and the browser, for a new session. */
    begins?: Omit<NewSession, 'secret'>;
    /** The CSRF secret. */
    _csrf?: string;
  }
}

/** Thrown if the password was changed, or the user was disabled, during verification. */
export class SignInOvertakenError extends Error {}

/**
 * Stores the sessions of `@fastify/session` as rows of the `sessions` table, so they can be listed and ended. Browsers
 * without a signed-in user have no row.
 */
@Injectable()
export class SessionStore implements PluginStore {
  constructor(
    private readonly sessions: Sessions,
    private readonly csrf: CsrfProtection,
  ) {}

  get(secret: string, callback: (error: unknown, session?: Session | null) => void): void {
    this.read(secret).then((session) => callback(null, session), callback);
  }

  /** Stores new sessions only. Later changes are written when the session is read. */
  set(secret: string, session: Session, callback: (error?: unknown) => void): void {
    this.write(secret, session).then(() => callback(), callback);
  }

  destroy(secret: string, callback: (error?: unknown) => void): void {
    this.sessions.discard(secret).then(() => callback(), callback);
  }

  private async read(secret: string): Promise<Session | null> {
    const found = await this.sessions.find(secret);
    if (found === null) {
      return null;
    }
    const { expiresAt, isExtended, ...signedIn } = found;
    const _csrf = this.csrf.secretOf('session', secret);
    return { signedIn, isExtended, _csrf, cookie: endingAt(expiresAt) };
  }

  /** Inserts the row of a new session. @throws SignInOvertakenError */
  private async write(secret: string, session: Session): Promise<void> {
    if (session.begins === undefined) {
      return;
    }
    const expiresAt = await this.sessions.begin({ ...session.begins, secret });
    if (expiresAt === null) {
      throw new SignInOvertakenError();
    }
    session.cookie.expires = endingAt(expiresAt).expires;
  }
}

const endingAt = (at: Micros): { originalMaxAge: null; expires: Date } => ({
  originalMaxAge: null,
  expires: new Date(Math.floor(at / 1000)),
});
