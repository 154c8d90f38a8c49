import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Config } from '../config/config';
import { sendPersonalPage } from '../presentation/page-answer';
import type { OpenSession } from '../users/sessions';
import { FormTokens } from './form-tokens';
import { ownPath } from './own-path';
import type { Frame } from './pages/frame';

const NONCE_BYTES = 16;

/** Where people are when they have signed in. */
export const HOME = '/';

/** For whom a page is made. */
export type Viewer = { session: OpenSession } | { formToken: string } | null;

/** Sends the pages for people, and people from one page to the next. */
@Injectable()
export class AccountPages {
  /** What the paths of pages begin with, where the server is reached below a path. */
  private readonly base: string;

  constructor(
    config: Config,
    private readonly forms: FormTokens,
  ) {
    this.base = new URL(config.publicUrl).pathname.replace(/\/$/, '');
  }

  send(reply: FastifyReply, status: number, viewer: Viewer, render: (frame: Frame) => string): void {
    const nonce = randomBytes(NONCE_BYTES).toString('base64');
    sendPersonalPage(reply, status, render({ base: this.base, nonce, ...this.knownOf(viewer) }), nonce);
  }

  /** Goes on with a GET. */
  redirect(reply: FastifyReply, path: string): void {
    void reply
      .status(303)
      .headers({ location: `${this.base}${path}`, 'cache-control': 'no-store' })
      .send();
  }

  /** @param next where to go on then, if anywhere in particular */
  redirectToSignIn(reply: FastifyReply, next: string): void {
    const own = ownPath(next);
    this.redirect(reply, own === null ? '/login' : `/login?next=${encodeURIComponent(own)}`);
  }

  private knownOf(viewer: Viewer): Pick<Frame, 'email' | 'formToken'> {
    if (viewer === null) {
      return { email: null, formToken: '' };
    }
    return 'session' in viewer
      ? { email: viewer.session.email, formToken: this.forms.forSession(viewer.session.secret) }
      : { email: null, formToken: viewer.formToken };
  }
}
