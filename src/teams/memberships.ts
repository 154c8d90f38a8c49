import { Injectable } from '@nestjs/common';
import type { Author } from '../platform/access/actor';
import type { Role } from '../platform/access/roles';
import { audit, type AuditAction } from '../audit/audit-log';
import { nowMicros } from '../common/time/clock';
import type { Failures } from '../common/validation/failures';
import { Database, Tx } from '../database/database';
import { Invitations } from '../users/invitations';
import { MemberRow, MemberStore, TeamStore } from './team.store';

const LAST_ADMIN =
  'This is the last admin of the team. Make another member an admin first, so that someone can manage the team. Invited admins do not count until they have set a password.';

/** A change to a team's members. Its transaction locks the team. */
export interface TeamWrite {
  tx: Tx;
  teamId: number;
  author: Author;
}

/**
 * Changes memberships. Each change has an audit log entry and new versions. Changes to the same team run one at a time.
 */
@Injectable()
export class Memberships {
  constructor(
    private readonly database: Database,
    private readonly members: MemberStore,
    private readonly teams: TeamStore,
    private readonly invitations: Invitations,
  ) {}

  /** Runs the work in one transaction. Checks on the team's members remain valid until the transaction is committed. */
  change<T>(teamId: number, author: Author, work: (write: TeamWrite) => Promise<T>): Promise<T> {
    return this.database.transaction(async (tx) => {
      await this.members.lock(tx, teamId);
      return work({ tx, teamId, author });
    });
  }

  find({ tx, teamId }: TeamWrite, userId: number): Promise<MemberRow | null> {
    return this.members.member(tx, teamId, userId);
  }

  /** Adds a failure if the team would be left without any admin who can manage it. */
  async requireOtherAdmin(
    { tx, teamId }: TeamWrite,
    { role, user_id }: MemberRow,
    field: string,
    failures: Failures,
  ): Promise<void> {
    if (role === 'admin' && !(await this.members.hasOtherAdmin(tx, teamId, user_id))) {
      failures.add(field, LAST_ADMIN);
    }
  }

  /** Adds a user who is not a member yet, and withdraws the user's invitation link, if there is one. */
  async add(write: TeamWrite, userId: number, role: Role): Promise<void> {
    const { tx, teamId } = write;
    const now = nowMicros();
    // Otherwise, an admin of another team who has the link could set the password and would get the role in this team.
    await this.invitations.withdraw(tx, userId);
    const version = await this.members.countUp(tx, teamId);
    const columns = { team_id: teamId, user_id: userId, role, version, created_at: now, updated_at: now };
    await this.members.insert(tx, columns);
    await this.teams.countUpTeamsOf(tx, userId);
    await this.note(write, 'add-member', userId, null, role);
  }

  /**
   * Sets the role of a member. If the role does not change, the versions stay the same. If the member was an admin, the
   * invitation links of all members are withdrawn.
   */
  async setRole(write: TeamWrite, member: MemberRow, role: Role): Promise<void> {
    const { tx, teamId } = write;
    if (role === member.role) {
      return;
    }
    const version = await this.members.countUp(tx, teamId);
    await this.members.setRole(tx, { teamId, userId: member.user_id }, role, version, nowMicros());
    await this.withdrawLinksKnownTo(write, member);
    await this.note(write, 'set-role', member.user_id, member.role, role);
  }

  /** Removes a member and withdraws the member's invitation link; for an admin, the links of all members. */
  async remove(write: TeamWrite, member: MemberRow): Promise<void> {
    const { tx, teamId } = write;
    const { user_id: userId, role } = member;
    await this.members.remove(tx, { teamId, userId });
    await this.members.countUp(tx, teamId);
    await this.teams.countUpTeamsOf(tx, userId);
    await this.invitations.withdraw(tx, userId);
    await this.withdrawLinksKnownTo(write, member);
    await this.note(write, 'remove-member', userId, role, null);
  }

  /** An admin may have kept links of other members, and could sign in as these members. */
  private async withdrawLinksKnownTo({ tx, teamId }: TeamWrite, { role }: MemberRow): Promise<void> {
    if (role === 'admin') {
      await this.invitations.withdrawOfTeam(tx, teamId);
    }
  }

  private async note(
    { tx, teamId, author }: TeamWrite,
    action: AuditAction,
    userId: number,
    before: Role | null,
    after: Role | null,
  ): Promise<void> {
    const membership = (role: Role | null): object | null =>
      role === null ? null : { user_id: userId, role };
    await audit(tx, author, null, [
      { action, itemType: 'team', itemId: teamId, before: membership(before), after: membership(after) },
    ]);
  }
}
