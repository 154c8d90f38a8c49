import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { SignedInUser } from '../../platform/access/actor';
import { newSecret } from '../../common/text/secrets';
import { Sessions } from '../../users/sessions';
import { BrowserSessions } from '../browser-sessions';
import { BruteForceProtection, withOpenId } from '../brute-force';
import { SessionCookies } from '../session-cookies';
import type { Refusal } from '../sign-in-forms';
import { FailedSignIns } from '../sign-in.service';
import type { Person } from './openid-claims';
import { OpenIdError } from './openid-failures';
import type { OpenIdProblem } from './openid-problems';
import { OpenIdProvider } from './openid-provider';
import { Checks, MAX_SECONDS, OpenIdStates, PendingSignIn } from './openid-state';
import { OpenIdSignIn } from './openid-sign-in';

interface Exchange {
  request: FastifyRequest;
  reply: FastifyReply;
  ip: string;
}

const MAX_NEXT = 1_000;
/** Seconds by which the provider's clock may be behind. */
const CLOCK_TOLERANCE_SECONDS = 30;

/** Signs users in with the OpenID Connect provider. Failed sign-ins are counted per client address. */
@Injectable()
export class OpenIdService {
  constructor(
    private readonly provider: OpenIdProvider,
    private readonly states: OpenIdStates,
    private readonly signIns: OpenIdSignIn,
    private readonly browsers: BrowserSessions,
    private readonly sessions: Sessions,
    private readonly cookies: SessionCookies,
    private readonly bruteForce: BruteForceProtection,
    private readonly failures: FailedSignIns,
  ) {}

  get isConfigured(): boolean {
    return this.provider.target !== null;
  }

  /** Begins a sign-in or a confirmation. @returns the provider's sign-in URL */
  begin({
    next,
    confirms,
    ...exchange
  }: Exchange & { next: string | null; confirms: SignedInUser | null }): Promise<{ url: string } | Refusal> {
    return this.counted(exchange, next, async () => {
      const pending: PendingSignIn = {
        next: (next ?? '').length > MAX_NEXT ? null : next,
        confirms: confirms?.sessionId ?? null,
        startedAt: Date.now(),
      };
      const checks = this.states.seal(pending, this.browserSecret(exchange));
      return { url: await this.provider.authorizationUrl(checks, confirms !== null) };
    });
  }

  /** Finishes a sign-in or a confirmation. @returns the page after sign-in */
  async finish({
    session,
    ...exchange
  }: Exchange & { session: SignedInUser | null }): Promise<{ goesTo: string | null } | Refusal> {
    const opened = this.openState(exchange);
    if (opened === null) {
      // Not counted as a failure, because any site can make browsers send such a request and so lock out all users with
      // the same client address.
      return { next: null, problem: 'expired' };
    }
    const { pending, checks } = opened;
    const { next } = pending;
    return this.counted(exchange, next, async () => {
      // The cookie is kept for other tabs. The provider accepts a code only once, so this sign-in cannot be replayed.
      const person = await this.provider.person(queryOf(exchange.request), checks);
      const problem =
        pending.confirms === null
          ? await this.signIn(exchange, person)
          : await this.confirm(session, person, pending);
      return problem === null ? { goesTo: next } : { next, problem };
    });
  }

  private async signIn({ request, reply }: Exchange, person: Person): Promise<OpenIdProblem | null> {
    const identified = await this.signIns.identify(person);
    if (identified.outcome !== 'identified') {
      await this.failures.note(null, person.email);
      return identified.outcome;
    }
    return (await this.browsers.begin(request, reply, identified.user)) ? null : 'disabled';
  }

  /** Confirms a session whose user has just entered the password at the provider. A refusal changes nothing. */
  private async confirm(
    session: SignedInUser | null,
    person: Person,
    { confirms, startedAt }: PendingSignIn,
  ): Promise<OpenIdProblem | null> {
    if (session?.sessionId !== confirms) {
      return 'expired';
    }
    const since = startedAt / 1000 - CLOCK_TOLERANCE_SECONDS;
    if (person.authenticatedAt === null || person.authenticatedAt < since) {
      return 'not again';
    }
    if (!(await this.signIns.isUserOf(session, person))) {
      return 'other user';
    }
    await this.sessions.confirm(session.sessionId);
    return null;
  }

  private openState({ request }: Exchange): { pending: PendingSignIn; checks: Checks } | null {
    const { state } = request.query as Record<string, unknown>;
    const [browser, another] = this.cookies.read(request, 'openid');
    return typeof state === 'string' && browser !== undefined && another === undefined
      ? this.states.open(state, browser)
      : null;
  }

  /** The secret in the browser's cookie, which all pending sign-ins of the browser share. */
  private browserSecret({ request, reply }: Exchange): string {
    this.cookies.removeForeign(request, reply, 'openid');
    const [known, another] = this.cookies.read(request, 'openid');
    const secret = known !== undefined && another === undefined ? known : newSecret();
    this.cookies.set(reply, 'openid', secret, { maxAge: MAX_SECONDS });
    return secret;
  }

  /** Runs a step and counts its failures. */
  private async counted<T extends object>(
    { ip }: Exchange,
    next: string | null,
    step: () => Promise<T | Refusal>,
  ): Promise<T | Refusal> {
    const attempt = await this.bruteForce.count([withOpenId(ip)]);
    if (!attempt.isAllowed) {
      return { next, retryAfter: attempt.retryAfter };
    }
    try {
      const outcome = await step();
      if (!('problem' in outcome)) {
        await attempt.forgive();
      }
      return outcome;
    } catch (error) {
      if (error instanceof OpenIdError) {
        return { next, problem: error.failure };
      }
      throw error;
    }
  }
}

function queryOf({ url }: FastifyRequest): string {
  const at = url.indexOf('?');
  return at < 0 ? '' : url.slice(at);
}
