import { Injectable } from '@nestjs/common';
import { audit } from '../audit/audit-log';
import { Database } from '../database/database';
import { verifyPassword } from '../users/passwords';
import { BegunSession, Sessions } from '../users/sessions';
import type { User } from '../users/user.entity';
import { normalizeEmail, UsersService } from '../users/users.service';
import { atEmail, atEmailFrom, Attempts, fromAddress } from './attempts';

export interface SignInAttempt {
  email: string;
  password: string;
  ip: string;
  /** The secret of the session that the browser has already, if any. */
  replaced: string | undefined;
}

export type SignInOutcome =
  | { outcome: 'signed in'; session: BegunSession }
  | { outcome: 'refused' }
  | { outcome: 'too many'; retryAfter: number };

const MAX_EMAIL = 255;

/** Lets people in who know their password. */
@Injectable()
export class SignInService {
  constructor(
    private readonly users: UsersService,
    private readonly sessions: Sessions,
    private readonly attempts: Attempts,
    private readonly database: Database,
  ) {}

  /** The outcome and the work are the same for a wrong password and for nobody whom a password could let in. */
  async signIn({ email: given, password, ip, replaced }: SignInAttempt): Promise<SignInOutcome> {
    const email = normalizeEmail(given);
    const attempt = await this.attempts.count([fromAddress(ip), atEmailFrom(email, ip), atEmail(email)]);
    if (!attempt.isAllowed) {
      return { outcome: 'too many', retryAfter: attempt.retryAfter };
    }
    const user = await this.users.findByEmail(email);
    const isRight = await verifyPassword(user?.password_hash ?? null, password);
    const session = user !== null && isRight ? await this.sessions.begin(user, replaced) : null;
    if (session === null) {
      await this.noteFailure(user, email);
      return { outcome: 'refused' };
    }
    await attempt.forgive();
    return { outcome: 'signed in', session };
  }

  /** What is no e-mail address may be a password in the wrong field, and is not noted. */
  private async noteFailure(user: User | null, email: string): Promise<void> {
    const after = { email: email.includes('@') ? email.slice(0, MAX_EMAIL).toWellFormed() : null };
    await this.database.transaction((tx) =>
      audit(tx, { userId: null, tokenId: null }, null, [
        { action: 'sign-in-failed', itemType: 'user', itemId: user?.id ?? 0, before: null, after },
      ]),
    );
  }
}
