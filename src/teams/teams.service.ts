import { Injectable } from '@nestjs/common';
import type { Author } from '../platform/access/actor';
import type { Role } from '../platform/access/roles';
import type { UserScope } from '../platform/access/scope';
import { audit } from '../audit/audit-log';
import { Listed } from '../common/http/answers';
import { parseListQuery, RawQuery } from '../common/lists/list-query';
import { foldName } from '../common/text/names';
import { nowMicros } from '../common/time/clock';
import { Failures } from '../common/validation/failures';
import { Database } from '../database/database';
import type { MemberRow } from './team.store';
import { Memberships, TeamWrite } from './memberships';
import { TeamRecord, toTeamRecord } from './team.record';
import { TeamStore } from './team.store';

@Injectable()
export class TeamsService {
  constructor(
    private readonly database: Database,
    private readonly store: TeamStore,
    private readonly memberships: Memberships,
  ) {}

  async list({ actor }: UserScope, query: RawQuery): Promise<Listed<TeamRecord>> {
    const list = parseListQuery(query);
    const { rows, total } = await this.store.listOfUser(this.database.read, actor, list);
    return new Listed(rows.map(toTeamRecord), total, list.page);
  }

  /** All teams, for server administrators. */
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
        members_version: 1,
        created_at: now,
        updated_at: now,
      };
      const row = { ...columns, lock_version: 0 };
      const id = await this.store.insert(tx, row);
      const record = toTeamRecord({ id, ...row });
      await audit(tx, author, null, [
        { action: 'create', itemType: 'team', itemId: id, before: null, after: record },
      ]);
      return record;
    });
  }

  async exists(teamId: number): Promise<boolean> {
    return (await this.store.findById(this.database.read, teamId)) !== null;
  }

  /** @returns false if the user is already a member */
  addMember(teamId: number, userId: number, role: Role, author: Author): Promise<boolean> {
    return this.memberships.change(teamId, author, async (write) => {
      const isNew = (await this.memberships.find(write, userId)) === null;
      if (isNew) {
        await this.memberships.add(write, userId, role);
      }
      return isNew;
    });
  }

  /** @returns false if the user is not a member. @throws ValidationError if the user is the last admin */
  setRole(teamId: number, userId: number, role: Role, author: Author): Promise<boolean> {
    return this.changeMember(teamId, userId, author, async (write, member) => {
      if (role !== 'admin') {
        await this.keepAnAdmin(write, member, 'role');
      }
      await this.memberships.setRole(write, member, role);
    });
  }

  /** @returns false if the user is not a member. @throws ValidationError if the user is the last admin */
  removeMember(teamId: number, userId: number, author: Author): Promise<boolean> {
    return this.changeMember(teamId, userId, author, async (write, member) => {
      await this.keepAnAdmin(write, member, 'user');
      await this.memberships.remove(write, member);
    });
  }

  private async keepAnAdmin(write: TeamWrite, member: MemberRow, field: string): Promise<void> {
    const failures = new Failures();
    await this.memberships.requireOtherAdmin(write, member, field, failures);
    failures.throwIfAny();
  }

  private changeMember(
    teamId: number,
    userId: number,
    author: Author,
    work: (write: TeamWrite, member: MemberRow) => Promise<void>,
  ): Promise<boolean> {
    return this.memberships.change(teamId, author, async (write) => {
      const member = await this.memberships.find(write, userId);
      if (member !== null) {
        await work(write, member);
      }
      return member !== null;
    });
  }
}
