import { Injectable } from '@nestjs/common';
import type { SignedInUser } from '../platform/access/actor';
import { passwordProblem, verifyPassword } from '../users/passwords';
import { UsersService } from '../users/users.service';
import { atUser, BruteForceProtection } from './brute-force';
import type { FieldErrors } from './pages/fields';

export interface PasswordForm {
  current: string;
  password: string;
  repeated: string;
}

export type PasswordChange =
  | { outcome: 'changed' }
  /** The user signs in with the provider only. */
  | { outcome: 'no password' }
  | { outcome: 'refused'; errors: FieldErrors<PasswordForm> }
  | { outcome: 'too many'; retryAfter: number };

const WRONG_PASSWORD: PasswordChange = {
  outcome: 'refused',
  errors: { current: 'The current password is wrong.' },
};

/** Changes the password of a user who knows the current one. */
@Injectable()
export class PasswordChangeService {
  constructor(
    private readonly users: UsersService,
    private readonly bruteForce: BruteForceProtection,
  ) {}

  /** Whether the user has a password to change. */
  async hasPassword({ email }: SignedInUser): Promise<boolean> {
    return (await this.hashOf(email)) !== null;
  }

  /** Changes the password, and ends all other sessions of the user. */
  async change(session: SignedInUser, form: PasswordForm): Promise<PasswordChange> {
    const hash = await this.hashOf(session.email);
    if (hash === null) {
      return { outcome: 'no password' };
    }
    const errors = problemsOf(form);
    if (Object.keys(errors).length > 0) {
      return { outcome: 'refused', errors };
    }
    const attempt = await this.bruteForce.count([atUser(session.userId)]);
    if (!attempt.isAllowed) {
      return { outcome: 'too many', retryAfter: attempt.retryAfter };
    }
    if (!(await verifyPassword(hash, form.current))) {
      return WRONG_PASSWORD;
    }
    await attempt.forgive();
    const changed = await this.users.replacePassword(session, hash, form.password);
    return changed === null ? WRONG_PASSWORD : { outcome: 'changed' };
  }

  private async hashOf(email: string): Promise<string | null> {
    return (await this.users.findByEmail(email))?.password_hash ?? null;
  }
}

function problemsOf({ current, password, repeated }: PasswordForm): FieldErrors<PasswordForm> {
  const problem = passwordProblem(password);
  return {
    ...(current === '' && { current: 'Enter your current password.' }),
    ...(problem !== null && { password: problem }),
    ...(problem === null &&
      password === current && { password: 'The new password is the same as the current one.' }),
    ...(repeated !== password && { repeated: 'The new passwords do not match.' }),
  };
}
