import { Injectable } from '@nestjs/common';
import { audit, type AuditAction } from '../audit/audit-log';
import { hashOfSecret, isSecret, newSecret } from '../common/text/secrets';
import { DAY_MICROS, Micros, nowMicros } from '../common/time/clock';
import { Config } from '../config/config';
import { Database, Tx } from '../database/database';
import type { Author } from '../platform/access/actor';
import { InvitationStore, InvitedUser } from './invitation.store';
import { hashPassword } from './passwords';
import type { VerifiedUser } from './session.store';

/** Lifetime of an invitation link in days. */
export const INVITATION_DAYS = 7;

const LIFETIME_MICROS = INVITATION_DAYS * DAY_MICROS;

/**
 * Thrown if the user is disabled while accepting. Rolls back the transaction, so the link works again once the user is
 * enabled.
 */
class NotOpenError extends Error {}

/** Invitations are one-time links with which new users set their password. Only hashes of the links are stored. */
@Injectable()
export class Invitations {
  constructor(
    private readonly database: Database,
    private readonly store: InvitationStore,
    private readonly config: Config,
  ) {}

  /** Creates the first invitation for a new user. @returns the URL of the link */
  async invite(tx: Tx, userId: number, now: Micros = nowMicros()): Promise<string> {
    const secret = newSecret();
    await this.store.insert(tx, userId, hashOfSecret(secret), now, now + LIFETIME_MICROS);
    return this.urlOf(secret);
  }

  /**
   * Creates a new link that replaces the previous one.
   * @returns the URL of the new link; null if the user was not invited or has a password
   */
  async inviteAgain(
    tx: Tx,
    userId: number,
    author: Author,
    now: Micros = nowMicros(),
  ): Promise<string | null> {
    const secret = newSecret();
    // The link is replaced before the check, because the user may be accepting the previous link at the same moment,
    // which uses up the invitation.
    const isReplaced = await this.store.replace(tx, userId, hashOfSecret(secret), now + LIFETIME_MICROS);
    if (!isReplaced || !(await this.store.isOpen(tx, userId))) {
      return null;
    }
    await note(tx, author, 'invite-again', userId);
    return this.urlOf(secret);
  }

  /** Invalidates the link, if there is one. The user can be invited again. */
  async withdraw(tx: Tx, userId: number, now: Micros = nowMicros()): Promise<void> {
    await this.store.replace(tx, userId, null, now);
  }

  /** Invalidates the links of all members of a team. The members can be invited again. */
  withdrawOfTeam(tx: Tx, teamId: number, now: Micros = nowMicros()): Promise<void> {
    return this.store.withdrawOfTeam(tx, teamId, now);
  }

  /** Deletes the invitation, because the user has signed in in a different way and needs no password. */
  settle(tx: Tx, userId: number): Promise<void> {
    return this.store.delete(tx, userId);
  }

  /** The user of a valid link; null if the link is unknown or has been used, replaced or expired. */
  async find(secret: string, now: Micros = nowMicros()): Promise<InvitedUser | null> {
    return isSecret(secret) ? this.store.find(this.store.read, hashOfSecret(secret), now) : null;
  }

  /**
   * Sets the password of the user with this link, and uses up the link.
   * @returns null if the link is no longer valid
   */
  async accept(secret: string, password: string, now: Micros = nowMicros()): Promise<VerifiedUser | null> {
    const passwordHash = await hashPassword(password);
    const hash = hashOfSecret(secret);
    try {
      return await this.database.transaction(async (tx) => {
        const invited = await this.store.find(tx, hash, now);
        if (invited === null || !(await this.store.use(tx, hash, now))) {
          return null;
        }
        const { user_id: id } = invited;
        if (!(await this.store.setFirstPassword(tx, id, passwordHash, now))) {
          throw new NotOpenError();
        }
        await note(tx, { userId: id, tokenId: null }, 'accept-invitation', id);
        return { id, password_hash: passwordHash };
      });
    } catch (error) {
      if (error instanceof NotOpenError) {
        return null;
      }
      throw error;
    }
  }

  private urlOf(secret: string): string {
    return `${this.config.publicUrl}/invitation/${secret}`;
  }
}

async function note(tx: Tx, author: Author, action: AuditAction, userId: number): Promise<void> {
  await audit(tx, author, null, [{ action, itemType: 'user', itemId: userId, before: null, after: null }]);
}
