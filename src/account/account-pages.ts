import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { SignedInUser } from '../platform/access/actor';
import { Config, pathPrefix } from '../config/config';
import { type PageReferrer, sendPersonalPage } from '../presentation/page-answer';
import { sameOriginPath } from './same-origin-redirect';
import type { Frame } from './pages/frame';

const NONCE_BYTES = 16;

/** The path of the home page, which is the default page after sign-in. */
export const HOME = '/';

/**
 * The viewer of a page: a signed-in user, a user who is signing in or accepting an invitation, or null for anyone else.
 */
export type Viewer = { session: SignedInUser } | 'signing in' | null;

/** The viewer of a public page, from the request's session if there is one. */
export const viewerOf = (session: SignedInUser | null | undefined): Viewer =>
  session === undefined || session === null ? null : { session };

/** Sends pages and redirects. */
@Injectable()
export class AccountPages {
  /** Prefix of all page paths, if the server is published under a path. */
  private readonly base: string;

  constructor(private readonly config: Config) {
    this.base = pathPrefix(config);
  }

  /** @param referrer the Referrer-Policy, which must let browsers send the origin with forms */
  send(
    reply: FastifyReply,
    status: number,
    viewer: Viewer,
    render: (frame: Frame) => string,
    referrer?: PageReferrer,
  ): void {
    const nonce = randomBytes(NONCE_BYTES).toString('base64');
    const { publicUrl, hasPasswords, openId } = this.config;
    const signIn = { hasPasswords, provider: openId?.name ?? null };
    const page = render({ base: this.base, publicUrl, signIn, nonce, ...knownOf(viewer, reply) });
    sendPersonalPage(reply, status, page, nonce, referrer);
  }

  /** Redirects to a path, which the browser then requests with GET. */
  redirect(reply: FastifyReply, path: string): void {
    void reply
      .status(303)
      .headers({ location: `${this.base}${path}`, 'cache-control': 'no-store' })
      .send();
  }

  /** @param next the page after sign-in; the home page if this is not a path on this server */
  redirectToSignIn(reply: FastifyReply, next: string): void {
    const own = sameOriginPath(next);
    this.redirect(reply, own === null ? '/login' : `/login?next=${encodeURIComponent(own)}`);
  }
}

function knownOf(viewer: Viewer, reply: FastifyReply): Pick<Frame, 'email' | 'csrfToken'> {
  if (viewer === null) {
    return { email: null, csrfToken: '' };
  }
  const email = viewer === 'signing in' ? null : viewer.session.email;
  return { email, csrfToken: reply.generateCsrf() };
}
