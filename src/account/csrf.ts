import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../common/errors/api-errors';
import { FormFields, UnreadableBody } from '../common/http/json-body';
import { newSecret } from '../common/text/secrets';
import { Config } from '../config/config';
import { SessionCookies } from './session-cookies';

/** The name of the CSRF field in every form. */
export const CSRF_FIELD = 'form_token';

/** The token of the submitted form, if any. */
export const csrfTokenIn = ({ body }: FastifyRequest): string | undefined =>
  ((body ?? {}) as FormFields)[CSRF_FIELD];

/** Thrown for a form that was not submitted from one of our pages in this browser. */
export class CsrfError extends ApiError {
  constructor() {
    super('FORM_EXPIRED');
  }
}

/**
 * Protects forms against cross-site request forgery (CSRF). `@fastify/csrf-protection` creates and verifies the tokens.
 * Their CSRF secret is a signature of the secret in the session cookie, and is not stored.
 *
 * Before sign-in there is no session, and creating one for each visit to the sign-in page would let anyone fill the
 * `sessions` table. The sign-in form therefore has a separate cookie, and its CSRF secret is a signature of that
 * cookie.
 */
@Injectable()
export class CsrfProtection {
  private readonly origin: string;

  constructor(
    private readonly config: Config,
    private readonly cookies: SessionCookies,
  ) {
    this.origin = new URL(config.publicUrl).origin;
  }

  /** The CSRF secret of a session or a sign-in form. */
  secretOf(kind: 'session' | 'sign-in', proof: string): string {
    return createHmac('sha256', this.config.sessionSecret ?? '')
      .update(`${kind}:${proof}`)
      .digest('base64url');
  }

  /** Prepares the sign-in form. All open sign-in forms of a browser share one cookie. */
  beginSignIn(request: FastifyRequest, reply: FastifyReply): void {
    this.cookies.removeForeign(request, reply, 'form');
    const known = this.signInProof(request);
    const proof = known ?? newSecret();
    if (known === null) {
      this.cookies.set(reply, 'form', proof);
    }
    request.session._csrf = this.secretOf('sign-in', proof);
  }

  /** Checks a submitted form. @throws CsrfError if the form does not belong to the request's session */
  async check(request: FastifyRequest): Promise<void> {
    if (request.body instanceof UnreadableBody) {
      throw request.body.refusal;
    }
    if (!this.comesFromHere(request) || !(await hasToken(request))) {
      throw new CsrfError();
    }
  }

  /** Checks a submitted sign-in form. @throws CsrfError if the form was not opened in this browser */
  async checkSignIn(request: FastifyRequest): Promise<void> {
    const proof = this.signInProof(request);
    request.session._csrf = proof === null ? undefined : this.secretOf('sign-in', proof);
    await this.check(request);
  }

  /**
   * Whether one of our pages sent the form, according to the headers `Sec-Fetch-Site`, `Origin` and `Referer`, of which
   * all browsers send at least one. A different port is a different origin.
   */
  comesFromHere({ headers, host, protocol }: FastifyRequest): boolean {
    const site = headers['sec-fetch-site'];
    if (site !== undefined) {
      return site === 'same-origin' || site === 'none';
    }
    const origin = headers.origin ?? originOf(headers.referer);
    return origin === this.origin || origin === `${protocol}://${host}`;
  }

  private signInProof(request: FastifyRequest): string | null {
    const [proof = null, another] = this.cookies.read(request, 'form');
    return another === undefined ? proof : null;
  }
}

const originOf = (address = ''): string | null => (URL.canParse(address) ? new URL(address).origin : null);

/**
 * Whether the form has a valid CSRF token. The plugin's check is not used as a hook, because the redirect to sign-in
 * and the error for a malformed body must come first. The plugin sends its own JSON errors, so it gets a dummy reply
 * here.
 */
function hasToken(request: FastifyRequest): Promise<boolean> {
  return new Promise((resolve) => {
    const refusal = { send: () => resolve(false) } as unknown as FastifyReply;
    request.server.csrfProtection(request, refusal, () => resolve(true));
  });
}
