import { Injectable } from '@nestjs/common';
import { parseCookie, stringifySetCookie } from 'cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { nowMicros, SECOND_MICROS } from '../common/time/clock';
import { Config } from '../config/config';
import type { BegunSession } from '../users/sessions';

/** What is kept in browsers: that somebody is signed in, and what a sign-in form belongs to. */
const NAMES = { session: 'gosset', form: 'gosset-form' } as const;

export type CookieKind = keyof typeof NAMES;

/** Behind https the names begin with `__Host-`: no other host, and nothing that came in the clear, can set such cookies. */
@Injectable()
export class Cookies {
  private readonly secure: boolean;

  constructor(config: Config) {
    this.secure = config.publicUrl.startsWith('https:');
  }

  read({ headers }: FastifyRequest, kind: CookieKind): string | undefined {
    return parseCookie(headers.cookie ?? '')[this.nameOf(kind)];
  }

  /** @param maxAge seconds; until the browser is closed unless given */
  set(reply: FastifyReply, kind: CookieKind, value: string, maxAge?: number): void {
    const cookie = stringifySetCookie({
      name: this.nameOf(kind),
      value,
      path: '/',
      httpOnly: true,
      sameSite: 'lax',
      secure: this.secure,
      ...(maxAge !== undefined && { maxAge }),
    });
    reply.header('set-cookie', cookie);
  }

  /** The browser keeps what proves the session for as long as that goes on. */
  setSession(reply: FastifyReply, { secret, expiresAt }: BegunSession): void {
    this.set(reply, 'session', secret, Math.floor((expiresAt - nowMicros()) / SECOND_MICROS));
  }

  clear(reply: FastifyReply, kind: CookieKind): void {
    this.set(reply, kind, '', 0);
  }

  private nameOf(kind: CookieKind): string {
    return this.secure ? `__Host-${NAMES[kind]}` : NAMES[kind];
  }
}
