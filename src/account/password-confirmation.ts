import { Injectable } from '@nestjs/common';
import type { SignedInUser } from '../access/actor';
import { nowMicros, SECOND_MICROS } from '../common/time/clock';
import { Config } from '../config/config';
import { verifyPassword } from '../users/passwords';
import { Sessions } from '../users/sessions';
import { UsersService } from '../users/users.service';
import { atUser, BruteForceProtection } from './brute-force';

/** How long after the password was entered a session may make tokens and invite members. */
const CONFIRMED_MICROS = 15 * 60 * SECOND_MICROS;

/** The field of the password on the confirmation page. */
export const CONFIRMATION_FIELD = 'confirm_password';

export type Confirmation =
  | { outcome: 'confirmed' }
  /** The password is needed. With an error after a wrong one. */
  | { outcome: 'needed'; error?: string }
  | { outcome: 'too many'; retryAfter: number };

/** Asks for the password again before actions that outlive the session. */
@Injectable()
export class PasswordConfirmations {
  constructor(
    private readonly users: UsersService,
    private readonly sessions: Sessions,
    private readonly bruteForce: BruteForceProtection,
    private readonly config: Config,
  ) {}

  /** @param password the submitted password; undefined before the page has asked for it */
  async check(session: SignedInUser, password: string | undefined): Promise<Confirmation> {
    if (nowMicros() - session.confirmedAt < CONFIRMED_MICROS) {
      return { outcome: 'confirmed' };
    }
    if (password === undefined || !this.config.hasPasswords) {
      return { outcome: 'needed' };
    }
    if (password === '') {
      return { outcome: 'needed', error: 'Enter your password.' };
    }
    const attempt = await this.bruteForce.count([atUser(session.userId)]);
    if (!attempt.isAllowed) {
      return { outcome: 'too many', retryAfter: attempt.retryAfter };
    }
    const user = await this.users.findByEmail(session.email);
    if (user === null || !(await verifyPassword(user.password_hash, password))) {
      return { outcome: 'needed', error: 'The password is wrong.' };
    }
    await attempt.forgive();
    await this.sessions.confirm(session.sessionId);
    return { outcome: 'confirmed' };
  }
}
