import { Injectable } from '@nestjs/common';
import { audit } from '../audit/audit-log';
import type { SignedInUser } from '../platform/access/actor';
import { nowMicros } from '../common/time/clock';
import type { Tx } from '../database/database';
import { IdentityStore } from './user.store';
import { Invitations } from './invitations';
import { endSessions, type IdentifiedUser } from './session.store';
import type { Account } from './user.entities';
import { UsersService } from './users.service';

export type Identification =
  | { outcome: 'identified'; user: IdentifiedUser }
  | { outcome: 'unknown' }
  | { outcome: 'disabled' }
  /** Thrown if the user with this e-mail address is linked to a different account. */
  | { outcome: 'taken' };

type OwnSession = Pick<SignedInUser, 'sessionId' | 'userId'>;

/**
 * Finds the users who belong to accounts at OpenID Connect providers. The first sign-in finds the user by e-mail
 * address and links the account. Later sign-ins find the user by account, so if the provider assigns the e-mail address
 * to a different person, that person does not get the user's access.
 */
@Injectable()
export class Identities {
  constructor(
    private readonly users: UsersService,
    private readonly store: IdentityStore,
    private readonly invitations: Invitations,
  ) {}

  /**
   * Finds the user who belongs to an account, and links the account at its first use.
   * @param email an address that the provider has verified
   */
  async identify(tx: Tx, account: Account, email: string): Promise<Identification> {
    const found = await this.find(tx, account, email);
    return found.outcome === 'unlinked'
      ? { outcome: 'identified', user: await this.link(tx, found.userId, account) }
      : found;
  }

  /**
   * Whether an account belongs to the user of a session. If so, links the account at its first use, which does not end
   * this session. If not, changes nothing.
   * @param email an address that the provider has verified
   */
  async belongsTo(tx: Tx, account: Account, email: string, session: OwnSession): Promise<boolean> {
    const found = await this.find(tx, account, email);
    if (found.outcome === 'unlinked' && found.userId === session.userId) {
      await this.link(tx, found.userId, account, session.sessionId);
      return true;
    }
    return found.outcome === 'identified' && found.user.id === session.userId;
  }

  private async find(
    tx: Tx,
    account: Account,
    email: string,
  ): Promise<Identification | { outcome: 'unlinked'; userId: number }> {
    const known = await this.store.ofAccount(tx, account);
    if (known !== null) {
      const { id: identity_id, user_id: id, isDisabled } = known;
      return isDisabled ? { outcome: 'disabled' } : { outcome: 'identified', user: { id, identity_id } };
    }
    const user = await this.users.findIn(tx, email);
    if (user === null) {
      return { outcome: 'unknown' };
    }
    if (user.disabled_at !== null) {
      return { outcome: 'disabled' };
    }
    const linked = await this.store.ofUser(tx, user.id, account.issuer);
    if (linked === null) {
      return { outcome: 'unlinked', userId: user.id };
    }
    // The accounts are equal if a concurrent request has linked this account since the first query.
    return linked.subject === account.subject
      ? { outcome: 'identified', user: { id: user.id, identity_id: linked.id } }
      : { outcome: 'taken' };
  }

  /**
   * Links an account to a user. This uses up an invitation and ends all other sessions, because someone else may have
   * set the password earlier. Fails with a unique violation if a concurrent request has linked the account first.
   */
  async link(
    tx: Tx,
    userId: number,
    { issuer, subject }: Account,
    keptSession?: number,
  ): Promise<IdentifiedUser> {
    const columns = { user_id: userId, issuer, subject, created_at: nowMicros() };
    const identity_id = await this.store.insert(tx, columns);
    await this.invitations.settle(tx, userId);
    await endSessions(tx, userId, keptSession);
    await audit(tx, { userId, tokenId: null }, null, [
      { action: 'link-identity', itemType: 'user', itemId: userId, before: null, after: { issuer } },
    ]);
    return { id: userId, identity_id };
  }
}
