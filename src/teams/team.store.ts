import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { PreconditionFailedError } from '../common/errors/api-errors';
import { matchesTag, Tags } from '../common/http/etag';
import type { ListQuery } from '../common/lists/list-query';
import type { Micros } from '../common/time/clock';
import { allOf, type Condition } from '../database/dialect';
import { Database, Tx } from '../database/database';
import { listRows } from '../database/named-rows';
import { lockRows, placeholders, RowStore } from '../database/row-store';
import type { Actor } from '../platform/access/actor';
import type { Role } from '../platform/access/roles';
import { type PathItem, teamListSpace, type TeamScope } from '../platform/access/scope';
import { Membership, Team } from './team.entity';

@Injectable()
export class TeamStore extends RowStore<Team> {
  constructor(database: Database) {
    super(database, Team);
  }

  all(manager: EntityManager): Promise<Team[]> {
    return this.find(manager, '1 = 1', []);
  }

  /**
   * The teams that a user is a member of. For a token that is limited to projects, only the teams that own these
   * projects.
   */
  listOfUser(
    manager: EntityManager,
    { userId, projectIds }: Pick<Actor, 'userId' | 'projectIds'>,
    query: ListQuery,
  ): Promise<{ rows: Team[]; total: number }> {
    const mine = { sql: 'id IN (SELECT team_id FROM memberships WHERE user_id = ?)', parameters: [userId] };
    const visible = projectIds === undefined ? mine : allOf([mine, withProjects(projectIds)]);
    return listRows<Team, keyof Team>(manager, this, this.columnNames, visible, query);
  }

  /** Increments the version of a user's team list. */
  async countUpTeamsOf(tx: Tx, userId: number): Promise<void> {
    await tx.query('UPDATE users SET teams_version = teams_version + 1 WHERE id = ?', [userId]);
  }
}

const withProjects = (ids: readonly number[]): Condition => ({
  sql: `id IN (SELECT team_id FROM projects WHERE id IN (${placeholders(ids.length)}) AND deleted_at IS NULL)`,
  parameters: [...ids],
});

/** Increments the version of a team's project list. */
export async function countUpProjects(tx: Tx, teamId: number): Promise<void> {
  await tx.query('UPDATE teams SET projects_version = projects_version + 1 WHERE id = ?', [teamId]);
}

/**
 * Locks the team and checks the request's `If-Match`, if there is one, before a record is added to a list of the team.
 * @throws PreconditionFailedError if the list has changed
 */
export async function requireListMatch(
  tx: Tx,
  tags: Tags,
  { teamId, ifMatch }: Pick<TeamScope, 'teamId' | 'ifMatch'>,
  collection: 'projects' | 'members',
): Promise<void> {
  if (ifMatch === null) {
    return;
  }
  await lockRows(tx, 'teams', 'id', [teamId]);
  const [row]: { version: number }[] = await tx.query(
    `SELECT ${collection}_version AS version FROM teams WHERE id = ?`,
    [teamId],
  );
  if (!matchesTag(ifMatch, tags.list(teamListSpace(teamId, collection), row?.version ?? 0))) {
    throw new PreconditionFailedError();
  }
}

/** A membership and its user. */
export interface MemberRow {
  user_id: number;
  email: string;
  name: string;
  role: Role;
  version: number;
  created_at: Micros;
  updated_at: Micros;
}

/** A team and a user's role in it. */
export interface TeamWithRole {
  id: number;
  name: string;
  role: Role;
}

type StoredMember = Omit<MemberRow, 'created_at' | 'updated_at'> &
  Record<'created_at' | 'updated_at', number | string>;

/** The path to a member. The member's id is the user's id. */
export const MEMBER_PATH: PathItem = {
  param: 'user',
  table: 'memberships',
  idColumn: 'user_id',
  parentColumn: 'team_id',
};

const MEMBERS = `SELECT m.user_id, u.email, u.name, m.role, m.version, m.created_at, m.updated_at
  FROM memberships m JOIN users u ON u.id = m.user_id WHERE m.team_id = ?`;

/**
 * The memberships of a user in teams that the other given user does not administer.
 * @param user SQL expression of the user's id
 */
const notManaged = (user: string): string =>
  `SELECT 1 FROM memberships o WHERE o.user_id = ${user} AND NOT EXISTS (
    SELECT 1 FROM memberships a WHERE a.team_id = o.team_id AND a.user_id = ? AND a.role = 'admin')`;

@Injectable()
export class MemberStore extends RowStore<Membership> {
  constructor(database: Database) {
    super(database, Membership);
  }

  /** The members of a team, in id order. */
  async ofTeam(manager: EntityManager, teamId: number): Promise<MemberRow[]> {
    const rows: StoredMember[] = await manager.query(`${MEMBERS} ORDER BY m.user_id`, [teamId]);
    return rows.map(toMember);
  }

  async member(manager: EntityManager, teamId: number, userId: number): Promise<MemberRow | null> {
    const [row]: StoredMember[] = await manager.query(`${MEMBERS} AND m.user_id = ?`, [teamId, userId]);
    return row === undefined ? null : toMember(row);
  }

  async teamWithRole(manager: EntityManager, userId: number, teamId: number): Promise<TeamWithRole | null> {
    const [row]: TeamWithRole[] = await manager.query(
      `SELECT t.id, t.name, m.role FROM memberships m JOIN teams t ON t.id = m.team_id
        WHERE m.user_id = ? AND m.team_id = ?`,
      [userId, teamId],
    );
    return row ?? null;
  }

  /** Waits for concurrent changes to the team's members, including changes by other processes. */
  lock(tx: Tx, teamId: number): Promise<void> {
    return lockRows(tx, 'teams', 'id', [teamId]);
  }

  /** Increments the version of the member list. @returns the new version */
  async countUp(tx: Tx, teamId: number): Promise<number> {
    await tx.query('UPDATE teams SET members_version = members_version + 1 WHERE id = ?', [teamId]);
    const [row]: { version: number }[] = await tx.query(
      'SELECT members_version AS version FROM teams WHERE id = ?',
      [teamId],
    );
    return row?.version ?? 1;
  }

  async setRole(
    tx: Tx,
    member: { teamId: number; userId: number },
    role: Role,
    version: number,
    now: Micros,
  ): Promise<void> {
    await tx.query(
      'UPDATE memberships SET role = ?, version = ?, updated_at = ? WHERE team_id = ? AND user_id = ?',
      [role, version, now, member.teamId, member.userId],
    );
  }

  async remove(tx: Tx, { teamId, userId }: { teamId: number; userId: number }): Promise<void> {
    await tx.query('DELETE FROM memberships WHERE team_id = ? AND user_id = ?', [teamId, userId]);
  }

  /**
   * Whether any other member of the team is an admin who is not disabled. Invited users count once they have accepted,
   * because only an admin can create a new link for them.
   */
  async hasOtherAdmin(tx: Tx, teamId: number, userId: number): Promise<boolean> {
    const rows: unknown[] = await tx.query(
      `SELECT 1 FROM memberships m JOIN users u ON u.id = m.user_id
        WHERE m.team_id = ? AND m.role = 'admin' AND m.user_id <> ? AND u.disabled_at IS NULL
          AND (u.password_hash IS NOT NULL OR NOT EXISTS (SELECT 1 FROM invitations i WHERE i.user_id = u.id))
        LIMIT 1`,
      [teamId, userId],
    );
    return rows.length > 0;
  }

  /** Whether the user is a member of any team in which the other user is not an admin. */
  async hasTeamNotManagedBy(tx: Tx, userId: number, adminId: number): Promise<boolean> {
    const rows: unknown[] = await tx.query(`${notManaged('?')} LIMIT 1`, [userId, adminId]);
    return rows.length > 0;
  }

  /** The users in a team whom this admin may invite again. */
  async invitable(manager: EntityManager, teamId: number, adminId: number): Promise<number[]> {
    const rows: { user_id: number }[] = await manager.query(
      `SELECT m.user_id FROM memberships m JOIN users u ON u.id = m.user_id JOIN invitations i ON i.user_id = u.id
        WHERE m.team_id = ? AND u.password_hash IS NULL AND u.disabled_at IS NULL
          AND NOT EXISTS (${notManaged('m.user_id')})`,
      [teamId, adminId],
    );
    return rows.map(({ user_id }) => user_id);
  }
}

const toMember = (row: StoredMember): MemberRow => ({
  ...row,
  created_at: Number(row.created_at),
  updated_at: Number(row.updated_at),
});
