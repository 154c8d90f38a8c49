import { Injectable } from '@nestjs/common';
import type { SignedInUser } from '../access/actor';
import { passwordProblem, verifyPassword } from '../users/passwords';
import { UsersService } from '../users/users.service';
import { Attempts, atUser } from './attempts';
import type { FieldErrors } from './field-errors';

export interface PasswordForm {
  current: string;
  password: string;
  repeated: string;
}

export type PasswordChange =
  | { outcome: 'changed' }
  | { outcome: 'refused'; errors: FieldErrors<PasswordForm> }
  | { outcome: 'too many'; retryAfter: number };

/** Gives somebody who knows the current password another one. */
@Injectable()
export class PasswordChangeService {
  constructor(
    private readonly users: UsersService,
    private readonly attempts: Attempts,
  ) {}

  /** Ends all sessions of the user but the one that the change is made in. */
  async change(
    { userId, sessionId }: SignedInUser,
    email: string,
    form: PasswordForm,
  ): Promise<PasswordChange> {
    const errors = problemsOf(form);
    if (Object.keys(errors).length > 0) {
      return { outcome: 'refused', errors };
    }
    const attempt = await this.attempts.count([atUser(userId)]);
    if (!attempt.isAllowed) {
      return { outcome: 'too many', retryAfter: attempt.retryAfter };
    }
    const user = await this.users.findByEmail(email);
    if (user === null || !(await verifyPassword(user.password_hash, form.current))) {
      return { outcome: 'refused', errors: { current: 'This is not your current password.' } };
    }
    await attempt.forgive();
    await this.users.setPassword(userId, form.password, { userId, tokenId: null }, sessionId);
    return { outcome: 'changed' };
  }
}

function problemsOf({ current, password, repeated }: PasswordForm): FieldErrors<PasswordForm> {
  const problem = passwordProblem(password);
  return {
    ...(current === '' && { current: 'Type your current password.' }),
    ...(problem !== null && { password: problem }),
    ...(problem === null && password === current && { password: 'The new password is the current one.' }),
    ...(repeated !== password && { repeated: 'The two new passwords differ.' }),
  };
}
