import { Injectable } from '@nestjs/common';
import type { SignedInUser } from '../platform/access/actor';
import { capitalized } from '../common/text/strings';
import { nowMicros, SECOND_MICROS } from '../common/time/clock';
import { Config } from '../config/config';
import { verifyPassword } from '../users/passwords';
import { Sessions } from '../users/sessions';
import { UsersService } from '../users/users.service';
import { atUser, BruteForceProtection } from './brute-force';

/** How long a session can create tokens and invite members after the user has entered the password. */
const CONFIRMED_MICROS = 15 * 60 * SECOND_MICROS;

/** The password field on the confirmation page. */
export const CONFIRMATION_FIELD = 'confirm_password';

export type Confirmation =
  | { outcome: 'confirmed' }
  /** The password or a sign-in with the provider is needed. `error` is set if the page has already asked. */
  | { outcome: 'needed'; hasPassword: boolean; error?: string }
  | { outcome: 'too many'; hasPassword: boolean; retryAfter: number };

/** Whether the user of a session has proved their identity recently enough for actions that outlive the session. */
export const isConfirmedRecently = ({ confirmedAt }: Pick<SignedInUser, 'confirmedAt'>): boolean =>
  nowMicros() - confirmedAt < CONFIRMED_MICROS;

/** Asks for the password again before actions whose effects outlive the session. */
@Injectable()
export class PasswordConfirmations {
  constructor(
    private readonly users: UsersService,
    private readonly sessions: Sessions,
    private readonly bruteForce: BruteForceProtection,
    private readonly config: Config,
  ) {}

  /**
   * Checks whether the user has confirmed their identity.
   * @param password the submitted password; undefined before the page has asked for it
   */
  async check(session: SignedInUser, password: string | undefined): Promise<Confirmation> {
    if (isConfirmedRecently(session)) {
      return { outcome: 'confirmed' };
    }
    const user = this.config.hasPasswords ? await this.users.findByEmail(session.email) : null;
    const hash = user?.password_hash ?? null;
    const hasPassword = hash !== null;
    if (password === undefined) {
      return { outcome: 'needed', hasPassword };
    }
    if (password === '' || !hasPassword) {
      return { outcome: 'needed', hasPassword, error: this.demand(hasPassword) };
    }
    const attempt = await this.bruteForce.count([atUser(session.userId)]);
    if (!attempt.isAllowed) {
      return { outcome: 'too many', hasPassword, retryAfter: attempt.retryAfter };
    }
    if (!(await verifyPassword(hash, password))) {
      return { outcome: 'needed', hasPassword, error: 'The password is wrong.' };
    }
    await attempt.forgive();
    await this.sessions.confirm(session.sessionId);
    return { outcome: 'confirmed' };
  }

  /** The message that asks for the password or a sign-in. */
  private demand(hasPassword: boolean): string {
    const { openId } = this.config;
    const ways = [
      ...(hasPassword ? ['enter your password'] : []),
      ...(openId === null ? [] : [`sign in again with ${openId.name}`]),
    ];
    return ways.length === 0
      ? 'You have no password. Ask a server administrator to set one.'
      : `${capitalized(ways.join(', or '))}.`;
  }
}
