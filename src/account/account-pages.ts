import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { SignedInUser } from '../access/actor';
import { Config } from '../config/config';
import { type ImageSource, sendPersonalPage } from '../presentation/page-answer';
import { sameOriginPath } from './same-origin-redirect';
import type { Frame } from './pages/frame';

const NONCE_BYTES = 16;

/** The page after sign-in. */
export const HOME = '/';

/** The reader of a page. */
export type Viewer = { session: SignedInUser } | 'signing in' | null;

/** Sends pages and redirects. */
@Injectable()
export class AccountPages {
  /** Prefix of page paths, if the server is reached below a path. */
  private readonly base: string;

  constructor(config: Config) {
    this.base = new URL(config.publicUrl).pathname.replace(/\/$/, '');
  }

  /** @param images the allowed source of images, if the page has any */
  send(
    reply: FastifyReply,
    status: number,
    viewer: Viewer,
    render: (frame: Frame) => string,
    images?: ImageSource,
  ): void {
    const nonce = randomBytes(NONCE_BYTES).toString('base64');
    const page = render({ base: this.base, nonce, ...knownOf(viewer, reply) });
    sendPersonalPage(reply, status, page, nonce, images);
  }

  /** Redirects to a GET. */
  redirect(reply: FastifyReply, path: string): void {
    void reply
      .status(303)
      .headers({ location: `${this.base}${path}`, 'cache-control': 'no-store' })
      .send();
  }

  /** @param next the page after sign-in; by default the first one */
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
