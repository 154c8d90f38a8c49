import { Injectable } from '@nestjs/common';
import type { Author } from '../access/actor';
import type { Role } from '../access/roles';
import type { UserScope } from '../access/scope';
import { audit } from '../audit/audit-log';
import { Listed } from '../common/freshness/answers';
import { parseListQuery, RawQuery } from '../common/lists/list-query';
import { foldName } from '../common/text/names';
import { nowMicros } from '../common/time/clock';
import { Database, Tx } from '../database/database';
import { Membership } from './membership.entity';
import { TeamRecord, toTeamRecord } from './team.record';
import { TeamStore } from './team.store';

@Injectable()
export class TeamsService {
  constructor(
    private readonly database: Database,
    private readonly store: TeamStore,
  ) {}

  async list({ actor }: UserScope, query: RawQuery): Promise<Listed<TeamRecord>> {
    const list = parseListQuery(query);
    const { rows, total } = await this.store.listOfUser(this.database.read, actor.userId, list);
    return new Listed(rows.map(toTeamRecord), total, list.page);
  }

  /** All teams, for the administrator. */
  async all(): Promise<TeamRecord[]> {
    const rows = await this.store.all(this.database.read);
    return rows.map(toTeamRecord);
  }

  create(name: string, author: Author): Promise<TeamRecord> {
    return this.database.transaction(async (tx) => {
      const now = nowMicros();
      const columns = {
        name,
        name_search: foldName(name),
        projects_version: 1,
        created_at: now,
        updated_at: now,
      };
      const id = await this.store.insert(tx, columns);
      const record = toTeamRecord({ id, ...columns });
      await audit(tx, author, null, [
        { action: 'create', itemType: 'team', itemId: id, before: null, after: record },
      ]);
      return record;
    });
  }

  async exists(teamId: number): Promise<boolean> {
    return (await this.store.findById(this.database.read, teamId)) !== null;
  }

  /** @returns false when the user is a member already */
  addMember(teamId: number, userId: number, role: Role, author: Author): Promise<boolean> {
    return this.database.transaction(async (tx) => {
      const members = tx.getRepository(Membership);
      if (await members.existsBy({ team_id: teamId, user_id: userId })) {
        return false;
      }
      const now = nowMicros();
      await members.insert({ team_id: teamId, user_id: userId, role, created_at: now, updated_at: now });
      await this.noteMembership(tx, author, 'add-member', teamId, userId, null, role);
      return true;
    });
  }

  /** @returns false when the user is no member */
  setRole(teamId: number, userId: number, role: Role, author: Author): Promise<boolean> {
    return this.database.transaction(async (tx) => {
      const members = tx.getRepository(Membership);
      const member = await members.findOneBy({ team_id: teamId, user_id: userId });
      if (member === null) {
        return false;
      }
      await members.update({ id: member.id }, { role, updated_at: nowMicros() });
      await this.noteMembership(tx, author, 'set-role', teamId, userId, member.role, role);
      return true;
    });
  }

  /** @returns false when the user is no member */
  removeMember(teamId: number, userId: number, author: Author): Promise<boolean> {
    return this.database.transaction(async (tx) => {
      const members = tx.getRepository(Membership);
      const member = await members.findOneBy({ team_id: teamId, user_id: userId });
      if (member === null) {
        return false;
      }
      await members.delete({ id: member.id });
      await this.noteMembership(tx, author, 'remove-member', teamId, userId, member.role, null);
      return true;
    });
  }

  private async noteMembership(
    tx: Tx,
    author: Author,
    action: string,
    teamId: number,
    userId: number,
    before: Role | null,
    after: Role | null,
  ): Promise<void> {
    if (before === null || after === null) {
      await this.store.countUpTeamsOf(tx, userId);
    }
    const standing = (role: Role | null): object | null => (role === null ? null : { user_id: userId, role });
    await audit(tx, author, null, [
      { action, itemType: 'team', itemId: teamId, before: standing(before), after: standing(after) },
    ]);
  }
}
