import { Injectable } from '@nestjs/common';
import { audit } from '../audit/audit-log';
import { SIGN_IN_FAILED } from '../audit/audit-retention';
import { Database } from '../database/database';
import { MAX_EMAIL, normalizeEmail } from '../users/email';
import { verifyPassword } from '../users/passwords';
import type { VerifiedUser } from '../users/session.store';
import type { User } from '../users/user.entities';
import { UsersService } from '../users/users.service';
import { atEmail, atEmailFrom, BruteForceProtection, fromAddress } from './brute-force';

/** Writes audit entries for failed sign-ins. */
@Injectable()
export class FailedSignIns {
  constructor(private readonly database: Database) {}

  /**
   * Records a failed sign-in. Text that is not an e-mail address may be a password in the wrong field, so it is not
   * logged.
   */
  async note(user: Pick<User, 'id'> | null, email: string): Promise<void> {
    const after = { email: email.includes('@') ? email.slice(0, MAX_EMAIL).toWellFormed() : null };
    await this.database.transaction((tx) =>
      audit(tx, { userId: null, tokenId: null }, null, [
        { action: SIGN_IN_FAILED, itemType: 'user', itemId: user?.id ?? 0, before: null, after },
      ]),
    );
  }
}

export interface SignInAttempt {
  email: string;
  password: string;
  ip: string;
  /** Starts the session. @returns false if the password was changed or the user was disabled during verification */
  begin: (user: VerifiedUser) => Promise<boolean>;
}

export type SignInOutcome =
  { outcome: 'signed in' } | { outcome: 'refused' } | { outcome: 'too many'; retryAfter: number };

/** Verifies passwords and starts sessions. */
@Injectable()
export class SignInService {
  constructor(
    private readonly users: UsersService,
    private readonly bruteForce: BruteForceProtection,
    private readonly failures: FailedSignIns,
  ) {}

  /**
   * A wrong password and an unknown, disabled or passwordless user have the same outcome and take the same amount of
   * work, so they cannot be told apart.
   */
  async signIn({ email: given, password, ip, begin }: SignInAttempt): Promise<SignInOutcome> {
    const email = normalizeEmail(given);
    const attempt = await this.bruteForce.count([fromAddress(ip), atEmailFrom(email, ip), atEmail(email)]);
    if (!attempt.isAllowed) {
      return { outcome: 'too many', retryAfter: attempt.retryAfter };
    }
    const user = await this.users.findByEmail(email);
    const isRight = await verifyPassword(user?.password_hash ?? null, password);
    if (user === null || !isRight || !(await begin(user))) {
      await this.failures.note(user, email);
      return { outcome: 'refused' };
    }
    await attempt.forgive();
    return { outcome: 'signed in' };
  }
}
