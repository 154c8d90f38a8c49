import { Injectable } from '@nestjs/common';
import { foldName } from '../common/text/names';
import type { TeamItemScope, TeamScope } from '../platform/access/scope';
import { found, PreconditionFailedError } from '../common/errors/api-errors';
import { Created, Listed, Shown } from '../common/http/answers';
import { matchesTag, Tags } from '../common/http/etag';
import { type ListQuery, parseListQuery, RawQuery } from '../common/lists/list-query';
import { Failures } from '../common/validation/failures';
import type { Submission } from '../common/validation/submission';
import { Database } from '../database/database';
import { isUniqueViolation } from '../database/errors';
import { nameFromEmail, normalizeEmail } from '../users/email';
import { Invitations } from '../users/invitations';
import { insertUser, UsersService } from '../users/users.service';
import {
  type AddMember,
  InvitedMemberRecord,
  type InviteMember,
  MemberRecord,
  toMemberRecord,
  type UpdateMember,
} from './team.record';
import { MemberRow, MemberStore, requireListMatch, TeamWithRole } from './team.store';
import { Memberships, TeamWrite } from './memberships';

const NOT_INVITABLE =
  'This user has a password, was not invited, or is in a team that you do not manage. A server administrator can set a password.';

/** The members of a team, for its admins. */
@Injectable()
export class MembersService {
  constructor(
    private readonly database: Database,
    private readonly store: MemberStore,
    private readonly memberships: Memberships,
    private readonly invitations: Invitations,
    private readonly users: UsersService,
    private readonly tags: Tags,
  ) {}

  async list({ teamId }: TeamScope, query: RawQuery): Promise<Listed<MemberRecord>> {
    const list = parseListQuery(query);
    const { rows, total } = listMembers(await this.store.ofTeam(this.database.read, teamId), list);
    return new Listed(rows.map(toMemberRecord), total, list.page);
  }

  /** A team and the user's role in it; null if the user is not a member. */
  teamWithRole(userId: number, teamId: number): Promise<TeamWithRole | null> {
    return this.store.teamWithRole(this.database.read, userId, teamId);
  }

  /** All members, with their versions and whether this admin may invite them again. Used by the console. */
  async all(
    teamId: number,
    adminId: number,
  ): Promise<{ record: MemberRecord; version: number; isInvitable: boolean }[]> {
    const rows = await this.store.ofTeam(this.database.read, teamId);
    const invitable = new Set(await this.store.invitable(this.database.read, teamId, adminId));
    return rows.map((row) => ({
      record: toMemberRecord(row),
      version: row.version,
      isInvitable: invitable.has(row.user_id),
    }));
  }

  async show({ teamId, target }: TeamItemScope): Promise<Shown<MemberRecord>> {
    return shown(await this.store.member(this.database.read, teamId, target.id));
  }

  /** Adds a user. For an unknown e-mail address, a new user is created and invited. */
  async add(scope: TeamScope, submission: Submission<AddMember>): Promise<Created<InvitedMemberRecord>> {
    const failures = submission.failures();
    submission.checkReadOnly({}, failures);
    failures.throwIfAny();
    const attempt = () =>
      this.memberships.change(scope.teamId, scope.actor, async (write) => {
        await requireListMatch(write.tx, this.tags, scope, 'members');
        return this.addOnce(write, submission);
      });
    try {
      return await attempt();
    } catch (error) {
      if (!isUniqueViolation(error)) {
        throw error;
      }
      // A concurrent request has created the user in the meantime, so a second attempt will find the user.
      return attempt();
    }
  }

  /** Sets the role of a member. */
  update(scope: TeamItemScope, submission: Submission<UpdateMember>): Promise<Shown<MemberRecord>> {
    return this.change(scope, async (write, member) => {
      const failures = submission.failures();
      const { role = member.role } = submission.changesTo({ ...toMemberRecord(member) }, failures);
      if (role !== 'admin') {
        await this.memberships.requireOtherAdmin(write, member, 'role', failures);
      }
      failures.throwIfAny();
      await this.memberships.setRole(write, member, role);
      return shown(await this.memberships.find(write, member.user_id));
    });
  }

  async remove(scope: TeamItemScope): Promise<void> {
    await this.change(scope, async (write, member) => {
      const failures = new Failures();
      await this.memberships.requireOtherAdmin(write, member, 'user', failures);
      failures.throwIfAny();
      await this.memberships.remove(write, member);
    });
  }

  /**
   * Creates a new invitation link for an invited user without a password who is only in teams of this admin. The error
   * does not reveal which of these conditions is not met, because admins must not be able to find out whether a user
   * has a password or is a member of other teams.
   */
  invite(scope: TeamItemScope, submission: Submission<InviteMember>): Promise<Shown<InvitedMemberRecord>> {
    return this.change(scope, async ({ tx, author }, member) => {
      const failures = submission.failures();
      failures.throwIfAny();
      const url = await this.invitations.inviteAgain(tx, member.user_id, author);
      if (url === null || (await this.store.hasTeamNotManagedBy(tx, member.user_id, scope.actor.userId))) {
        failures.add('user', NOT_INVITABLE);
      }
      failures.throwIfAny();
      const record = toMemberRecord(member);
      return new Shown({ ...record, invitation_url: url }, member.version, member.user_id, {
        ...record,
        invitation_url: null,
      });
    });
  }

  private async addOnce(
    write: TeamWrite,
    { fields }: Submission<AddMember>,
  ): Promise<Created<InvitedMemberRecord>> {
    const { tx, author } = write;
    const { email: given = '', role = 'viewer' } = fields;
    const email = normalizeEmail(given);
    const known = await this.users.findIn(tx, email);
    if (known !== null && (await this.memberships.find(write, known.id)) !== null) {
      const failures = new Failures();
      failures.add('email', `${email} is already a member of the team.`);
      failures.throwIfAny();
    }
    const name = fields.name ?? nameFromEmail(email);
    const columns = { email, name, rate_limit: null, password_hash: null };
    const { id } = known ?? (await insertUser(tx, columns, author));
    await this.memberships.add(write, id, role);
    const invitation_url = known === null ? await this.invitations.invite(tx, id) : null;
    const member = found(await this.memberships.find(write, id));
    const record = toMemberRecord(member);
    const unstored = (kept: InvitedMemberRecord): object =>
      known === null ? { ...kept, user_id: null } : kept;
    return new Created({ ...record, invitation_url }, member.version, unstored, id, {
      ...record,
      invitation_url: null,
    });
  }

  /** Runs a change to a member while the team is locked. @throws NotFoundError, PreconditionFailedError */
  private change<T>(
    { teamId, actor, target, ifMatch }: TeamItemScope,
    work: (write: TeamWrite, member: MemberRow) => Promise<T>,
  ): Promise<T> {
    return this.memberships.change(teamId, actor, async (write) => {
      const member = found(await this.memberships.find(write, target.id));
      if (ifMatch !== null && !matchesTag(ifMatch, this.tags.record(member.user_id, member.version))) {
        throw new PreconditionFailedError();
      }
      return work(write, member);
    });
  }
}

function shown(row: MemberRow | null): Shown<MemberRecord> {
  const member = found(row);
  return new Shown(toMemberRecord(member), member.version, member.user_id);
}

type Key = (member: MemberRow) => number | string;

const KEYS: Record<ListQuery['sort']['column'], Key> = {
  id: ({ user_id }) => user_id,
  name_search: ({ name }) => foldName(name),
  created_at: ({ created_at }) => created_at,
  updated_at: ({ updated_at }) => updated_at,
};

/**
 * The members on a page of the list, and the number of members on all pages. Members are filtered and sorted in memory,
 * because users have no column for searching and a team is small enough to be read as a whole.
 * @param members the members in id order
 */
function listMembers(
  members: readonly MemberRow[],
  { search, sort, page }: ListQuery,
): { rows: MemberRow[]; total: number } {
  const key = KEYS[sort.column];
  const direction = sort.descending ? -1 : 1;
  const order = (a: MemberRow, b: MemberRow): number =>
    key(a) === key(b) ? 0 : direction * (key(a) < key(b) ? -1 : 1);
  const matching = members.filter(({ name }) => search === null || foldName(name).includes(search));
  const sorted = matching.sort(order);
  const first = page === null ? 0 : (page.number - 1) * page.perPage;
  const rows = sorted.slice(first, page === null ? undefined : first + page.perPage);
  return { rows, total: sorted.length };
}
