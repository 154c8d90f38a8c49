import { Injectable } from '@nestjs/common';
import { NotFoundError, UnauthorizedRoleError } from '../../common/errors/api-errors';
import { Tags } from '../../common/http/etag';
import { idOf } from '../../common/validation/values';
import type { MemberRecord } from '../../teams/team.record';
import { MembersService } from '../../teams/members.service';
import type { FormSubject } from '../forms/console-form';

/** A member in the list. */
export interface ListedMember extends MemberRecord {
  /** Whether the user has not set a password yet and can be invited again. */
  isInvitable: boolean;
  etag: string;
}

/** The team that a form is about. */
export interface TeamSubject extends FormSubject {
  userId: number;
  team: { id: number; name: string };
}

/** A member of the team. */
export interface MemberSubject extends TeamSubject {
  member: ListedMember;
}

/** Reads teams and their members, for admins. */
@Injectable()
export class TeamSubjects {
  constructor(
    private readonly members: MembersService,
    private readonly tags: Tags,
  ) {}

  /** @throws NotFoundError, or UnauthorizedRoleError for members who are not allowed to see other members */
  async read(userId: number, teamId: string): Promise<TeamSubject> {
    const id = idOf(teamId);
    const team = id === null ? null : await this.members.teamWithRole(userId, id);
    if (team === null) {
      throw new NotFoundError();
    }
    if (team.role !== 'admin') {
      throw new UnauthorizedRoleError(team.role, 'members:manage');
    }
    return { userId, role: team.role, team: { id: team.id, name: team.name } };
  }

  /** All members of a team. */
  async list({ team, userId }: TeamSubject): Promise<ListedMember[]> {
    const members = await this.members.all(team.id, userId);
    return members.map(({ record, version, isInvitable }) => ({
      ...record,
      isInvitable,
      etag: this.tags.record(record.user_id, version),
    }));
  }

  /** @throws NotFoundError, or UnauthorizedRoleError */
  async readMember(userId: number, teamId: string, memberId: string): Promise<MemberSubject> {
    const subject = await this.read(userId, teamId);
    const members = await this.list(subject);
    const member = members.find(({ user_id }) => user_id === idOf(memberId));
    if (member === undefined) {
      throw new NotFoundError();
    }
    return { ...subject, member };
  }
}
