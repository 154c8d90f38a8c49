import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { SignedInUser } from '../platform/access/actor';
import type { ProvenUser } from '../users/session.store';
import { Sessions } from '../users/sessions';
import { SessionCookies } from './session-cookies';
import { SignInOvertakenError } from './session-store';

/** Maximum number of session cookies in a request. If there are more, none of them is looked up. */
const MAX_SECRETS = 4;

/** The sessions of browsers. */
@Injectable()
export class BrowserSessions {
  constructor(
    private readonly sessions: Sessions,
    private readonly cookies: SessionCookies,
  ) {}

  /**
   * Opens the request's session, which is empty if no user is signed in. Opening a session counts as using it. If that
   * extends the session, the response also extends the browser's cookie.
   * @returns the signed-in user; null if there is none
   */
  async open(request: FastifyRequest, reply: FastifyReply): Promise<SignedInUser | null> {
    this.cookies.removeForeign(request, reply, 'session');
    await load(request, await this.provenBy(this.cookies.read(request, 'session')));
    const { signedIn = null, isExtended = false } = request.session;
    if (isExtended) {
      this.cookies.setSession(request, reply);
    }
    return signedIn;
  }

  /**
   * Signs in with a new session id. The browser's previous session ends.
   * @returns false if the password was changed or the user was disabled after the user's identity was verified
   */
  async begin(request: FastifyRequest, reply: FastifyReply, user: ProvenUser): Promise<boolean> {
    await request.session.regenerate();
    request.session.begins = { user, userAgent: request.headers['user-agent'] ?? '' };
    try {
      await request.session.save();
    } catch (error) {
      if (error instanceof SignInOvertakenError) {
        return false;
      }
      throw error;
    }
    this.cookies.setSession(request, reply);
    return true;
  }

  /** Whether the browser sends several cookies that could belong to a session. */
  isAmbiguous(request: FastifyRequest): boolean {
    return this.cookies.read(request, 'session').length > 1;
  }

  /**
   * The secret that proves a session. If there are several secrets, exactly one of them must belong to a session.
   * Otherwise, the result is empty, because a second session could belong to an attacker's account (cookie tossing).
   */
  private async provenBy(secrets: readonly string[]): Promise<string> {
    const [only = '', ...others] = secrets;
    if (others.length === 0) {
      return only;
    }
    const looked = secrets.length > MAX_SECRETS ? [] : secrets;
    const found = await Promise.all(looked.map((secret) => this.sessions.find(secret)));
    const [proven = '', another] = looked.filter((_, index) => found[index] !== null);
    return another === undefined ? proven : '';
  }
}

const load = (request: FastifyRequest, secret: string): Promise<void> =>
  new Promise((resolve, reject) => {
    request.server.decryptSession(secret, request, (error?: Error) => (error ? reject(error) : resolve()));
  });
