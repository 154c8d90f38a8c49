import { Injectable } from '@nestjs/common';
import type { InvitedUser } from '../users/invitation.store';
import { Invitations } from '../users/invitations';
import { passwordProblem } from '../users/passwords';
import type { VerifiedUser } from '../users/session.store';
import { BruteForceProtection, withInvitation } from './brute-force';
import type { FieldErrors } from './pages/fields';

export interface FirstPasswordForm {
  password: string;
  repeated: string;
}

/** The result of looking up an invitation link: its user, or why there is none. */
export type InvitationLookup =
  | { outcome: 'valid'; invited: InvitedUser }
  | { outcome: 'invalid' }
  | { outcome: 'too many'; retryAfter: number };

export type Acceptance =
  | { outcome: 'accepted'; user: VerifiedUser }
  | { outcome: 'refused'; errors: FieldErrors<FirstPasswordForm> }
  | { outcome: 'invalid' };

/** Invitation links, for their pages. */
@Injectable()
export class InvitationService {
  constructor(
    private readonly invitations: Invitations,
    private readonly bruteForce: BruteForceProtection,
  ) {}

  /**
   * Invalid links count as failed attempts from the client address. A valid link works even beyond the limit, because any
   * site could make browsers request invalid links and so lock out all users with that client address.
   */
  async find(secret: string, ip: string): Promise<InvitationLookup> {
    const invited = await this.invitations.find(secret);
    if (invited !== null) {
      return { outcome: 'valid', invited };
    }
    const attempt = await this.bruteForce.count([withInvitation(ip)]);
    return attempt.isAllowed
      ? { outcome: 'invalid' }
      : { outcome: 'too many', retryAfter: attempt.retryAfter };
  }

  /** Sets the password of a user with a valid link. */
  async accept(secret: string, form: FirstPasswordForm): Promise<Acceptance> {
    const errors = problemsOf(form);
    if (Object.keys(errors).length > 0) {
      return { outcome: 'refused', errors };
    }
    const user = await this.invitations.accept(secret, form.password);
    return user === null ? { outcome: 'invalid' } : { outcome: 'accepted', user };
  }
}

function problemsOf({ password, repeated }: FirstPasswordForm): FieldErrors<FirstPasswordForm> {
  const problem = passwordProblem(password);
  return {
    ...(problem !== null && { password: problem }),
    ...(repeated !== password && { repeated: 'The passwords do not match.' }),
  };
}
