import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../common/errors/api-errors';
import { FormFields, UnreadableBody } from '../common/http/json-body';
import { Config } from '../config/config';
import { Cookies } from './cookies';

const SECRET_BYTES = 32;
const SECRET = /^[\w-]{43}$/;

/** The name of the field that every form has. */
export const FORM_TOKEN = 'form_token';

/** A form that does not come from a page that this browser got from us. */
export class ForeignFormError extends ApiError {
  constructor() {
    super(403, 'The form cannot be used any more.');
  }
}

/**
 * Tells forms that were filled in on our own pages from what other sites make browsers send. The token in a form is a
 * signature of a secret that only the browser's cookie has: of the session, or before there is one of the form's own.
 */
@Injectable()
export class FormTokens {
  private readonly origin: string;

  constructor(
    private readonly config: Config,
    private readonly cookies: Cookies,
  ) {
    this.origin = new URL(config.publicUrl).origin;
  }

  /** The token for the forms of somebody who is signed in. */
  forSession(secret: string): string {
    return this.sign(`session:${secret}`);
  }

  /** The token for a sign-in form. What it belongs to stays the same for all forms that the browser has open. */
  forSignIn(request: FastifyRequest, reply: FastifyReply): string {
    const known = this.signInSecret(request);
    const secret = known ?? randomBytes(SECRET_BYTES).toString('base64url');
    if (known === null) {
      this.cookies.set(reply, 'form', secret);
    }
    return this.sign(`sign-in:${secret}`);
  }

  /** @throws ForeignFormError unless the form belongs to the session */
  checkForSession(request: FastifyRequest, secret: string): void {
    this.check(request, this.forSession(secret));
  }

  /** @throws ForeignFormError unless it is a sign-in form that this browser got */
  checkForSignIn(request: FastifyRequest): void {
    const secret = this.signInSecret(request);
    this.check(request, secret === null ? null : this.sign(`sign-in:${secret}`));
  }

  private signInSecret(request: FastifyRequest): string | null {
    const secret = this.cookies.read(request, 'form') ?? '';
    return SECRET.test(secret) ? secret : null;
  }

  private check(request: FastifyRequest, expected: string | null): void {
    const { body } = request;
    if (body instanceof UnreadableBody) {
      throw body.refusal;
    }
    const given = ((body ?? {}) as FormFields)[FORM_TOKEN] ?? '';
    if (expected === null || !this.comesFromHere(request) || !isSame(given, expected)) {
      throw new ForeignFormError();
    }
  }

  /** What browsers say about the origin of a form, as far as they say anything. */
  private comesFromHere({ headers, host, protocol }: FastifyRequest): boolean {
    const site = headers['sec-fetch-site'];
    if (site !== undefined) {
      return site === 'same-origin' || site === 'none';
    }
    const { origin } = headers;
    return origin === undefined || origin === this.origin || origin === `${protocol}://${host}`;
  }

  private sign(text: string): string {
    return createHmac('sha256', this.config.sessionSecret ?? '')
      .update(`form:${text}`)
      .digest('base64url');
  }
}

function isSame(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}
