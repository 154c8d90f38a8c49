import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isSecret } from '../common/text/secrets';
import { Config, pathPrefix } from '../config/config';

/** The cookies of sessions, sign-in forms and sign-ins with OpenID Connect. */
const NAMES = { session: 'gosset', form: 'gosset-form', openid: 'gosset-openid' } as const;

export type CookieKind = keyof typeof NAMES;

/** The maximum depth of our page paths, reached by the form for a variation. */
const MAX_DEPTH = 7;

/**
 * Reads and sets our cookies. With https, their names begin with `__Host-`, because other hosts and unencrypted
 * responses cannot set such cookies.
 */
@Injectable()
export class SessionCookies {
  private readonly secure: boolean;
  /** The public path of the server, such as `/gosset`; empty if there is none. */
  private readonly base: string;

  constructor(config: Config) {
    this.secure = config.publicUrl.startsWith('https:');
    this.base = pathPrefix(config);
  }

  /**
   * The values sent under a cookie name: at most one secret, unless pages on a different port or host of the site have
   * set cookies with the same name (cookie tossing). In that case, it is impossible to tell which cookie is ours. The
   * parser of `@fastify/cookie` would use the first one.
   */
  read({ headers }: FastifyRequest, kind: CookieKind): string[] {
    const prefix = `${this.nameOf(kind)}=`;
    const values = (headers.cookie ?? '')
      .split(';')
      .map((pair) => pair.trim())
      .filter((pair) => pair.startsWith(prefix))
      .map((pair) => pair.slice(prefix.length));
    // Cookies in a different format are not ours.
    return [...new Set(values)].filter(isSecret);
  }

  /**
   * If several cookies share a name, removes those that this server did not set, which have a narrower path than ours.
   * Browsers reject such cookies if their names begin with `__Host-`.
   */
  removeForeign(request: FastifyRequest, reply: FastifyReply, kind: CookieKind): void {
    if (this.secure || this.read(request, kind).length < 2) {
      return;
    }
    for (const path of pathsAbove(`${this.base}${request.url}`, partsOf(this.base).length + MAX_DEPTH)) {
      this.set(reply, kind, '', { maxAge: 0, path });
    }
  }

  /** Sets a cookie. @param maxAge seconds; by default, the cookie lasts until the browser is closed */
  set(
    reply: FastifyReply,
    kind: CookieKind,
    value: string,
    { maxAge, path = '/' }: { maxAge?: number; path?: string } = {},
  ): void {
    void reply.setCookie(this.nameOf(kind), value, {
      path,
      httpOnly: true,
      sameSite: 'lax',
      secure: this.secure,
      ...(maxAge !== undefined && { maxAge }),
    });
  }

  /** Sets the session cookie, which expires with the session. */
  setSession({ session }: FastifyRequest, reply: FastifyReply): void {
    const ends = session.cookie.expires?.getTime() ?? Date.now();
    this.set(reply, 'session', session.sessionId, { maxAge: Math.floor((ends - Date.now()) / 1000) });
  }

  clear(reply: FastifyReply, kind: CookieKind): void {
    this.set(reply, kind, '', { maxAge: 0 });
  }

  private nameOf(kind: CookieKind): string {
    return this.secure ? `__Host-${NAMES[kind]}` : NAMES[kind];
  }
}

const partsOf = (path: string): string[] => path.split('/').filter((part) => part !== '');

/** What a cookie path can contain: a browser ends it at a semicolon, and `@fastify/cookie` throws for anything else. */
const COOKIE_PATH = /^[\x20-\x3a\x3d-\x7e]*$/;

/** The cookie paths that match a URL, apart from `/`: each with and without a trailing slash. */
function pathsAbove(address: string, maxDepth: number): string[] {
  const [path = ''] = address.split('?');
  const parts = partsOf(path);
  const above = parts.map((_, index) => `/${parts.slice(0, index + 1).join('/')}`);
  return above
    .slice(0, maxDepth)
    .filter((each) => COOKIE_PATH.test(each))
    .flatMap((each) => [each, `${each}/`]);
}
