import { Injectable } from '@nestjs/common';
import { ProjectsService } from '../projects/projects.service';
import { TeamsService } from '../teams/teams.service';
import { TokensService } from '../users/tokens/tokens.service';
import type { User } from '../users/user.entities';
import { UsersService } from '../users/users.service';
import { ADMIN, DemoUser, PROJECT, TEAM, USERS } from './demo-items';
import { Contents, DemoStore } from './demo.store';
import { DemoSeeder } from './demo-seeder';

/** The current demo, including records that users have added. */
export interface Demo extends Contents {
  /** Whether this call created the demo. */
  created: boolean;
}

type Member = DemoUser & { id: number };

/** The demo data: a small shop. */
@Injectable()
export class DemoService {
  constructor(
    private readonly users: UsersService,
    private readonly tokens: TokensService,
    private readonly teams: TeamsService,
    private readonly projects: ProjectsService,
    private readonly seeder: DemoSeeder,
    private readonly reader: DemoStore,
  ) {}

  /** Creates the demo. Changes nothing if the demo's administrator is already in a team with the demo's name. */
  async seed(): Promise<Demo> {
    const members: Member[] = [];
    for (const user of USERS) {
      members.push({ ...user, id: (await this.findOrCreateUser(user)).id });
    }
    const adminId = members.find(({ email }) => email === ADMIN)?.id ?? 0;
    const known = await this.reader.read(adminId);
    if (known !== null) {
      return { created: false, ...known };
    }
    await this.create(adminId, members);
    const made = await this.reader.read(adminId);
    if (made === null) {
      throw new Error('The demo was removed while it was being created.');
    }
    return { created: true, ...made };
  }

  /**
   * Creates the team and its project. Members are added last, so the demo does not count as complete if its creation
   * was interrupted.
   */
  private async create(adminId: number, members: readonly Member[]): Promise<void> {
    const team = await this.teams.create(TEAM, 'admin');
    const project = await this.projects.create(
      { team_id: team.id, name: PROJECT, storage: 'localStorage' },
      'admin',
    );
    const token = await this.tokens.issue(adminId, 'Demo creation', 'write', 'admin');
    const actor = { userId: adminId, tokenId: token.id, abilities: token.abilities, rateLimit: 0 };
    await this.seeder.fill(team.id, project.id, actor);
    await this.tokens.revoke(token.id, 'admin');
    for (const { id, role } of members) {
      await this.teams.addMember(team.id, id, role, 'admin');
    }
  }

  private async findOrCreateUser({ email, name }: DemoUser): Promise<Pick<User, 'id'>> {
    const user =
      (await this.users.findByEmail(email)) ??
      (await this.users.create({ email, name, rate_limit: null, password: null }, 'admin')) ??
      (await this.users.findByEmail(email));
    if (user === null) {
      throw new Error(`${email} could be neither found nor created.`);
    }
    return user;
  }
}
