import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { OpenSession, Sessions } from '../users/sessions';
import { Cookies } from './cookies';

/** Who is signed in with the browser that a request comes from. */
@Injectable()
export class BrowserSessions {
  constructor(
    private readonly sessions: Sessions,
    private readonly cookies: Cookies,
  ) {}

  /** Counts as a use of the session; the browser learns when it goes on for longer by that. */
  async find(request: FastifyRequest, reply: FastifyReply): Promise<OpenSession | null> {
    const session = await this.sessions.find(this.cookies.read(request, 'session'));
    if (session?.isExtended === true) {
      this.cookies.setSession(reply, session);
    }
    return session;
  }
}
