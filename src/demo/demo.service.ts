import { Injectable } from '@nestjs/common';
import { ProjectsService } from '../projects/projects.service';
import { TeamsService } from '../teams/teams.service';
import { TokensService } from '../tokens/tokens.service';
import type { User } from '../users/user.entity';
import { UsersService } from '../users/users.service';
import { ADMIN, DemoUser, PROJECT, TEAM, USERS } from './demo-items';
import { Contents, DemoReader } from './demo-reader';
import { DemoSeeder } from './demo-seeder';

/** What the demo consists of now; things that were made by hand since are part of it. */
export interface Demo extends Contents {
  /** Was it made just now? */
  created: boolean;
}

type Member = DemoUser & { id: number };

/** A small shop to try everything on. */
@Injectable()
export class DemoService {
  constructor(
    private readonly users: UsersService,
    private readonly tokens: TokensService,
    private readonly teams: TeamsService,
    private readonly projects: ProjectsService,
    private readonly seeder: DemoSeeder,
    private readonly reader: DemoReader,
  ) {}

  /** Makes the demo, unless its administrator is in a team of its name: then what is there is kept as it is. */
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
      throw new Error('The demo was removed while it was made.');
    }
    return { created: true, ...made };
  }

  /** The members come last, so a demo that was interrupted is not taken for a complete one. */
  private async create(adminId: number, members: readonly Member[]): Promise<void> {
    const team = await this.teams.create(TEAM, 'admin');
    const project = await this.projects.create(
      { team_id: team.id, name: PROJECT, storage: 'localStorage' },
      'admin',
    );
    const token = await this.tokens.issue(adminId, 'Making of the demo', 'write', 'admin');
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
      throw new Error(`${email} can neither be found nor made.`);
    }
    return user;
  }
}
