import { Injectable } from '@nestjs/common';
import { Config } from '../config/config';
import { Database } from '../database/database';
import type { ProjectRecord } from '../projects/project.record';
import { ProjectsService } from '../projects/projects.service';
import type { TeamRecord } from '../teams/team.record';
import { TeamsService } from '../teams/teams.service';
import { IssuedToken, TokensService } from '../users/tokens/tokens.service';
import { UserRecord, UsersService } from '../users/users.service';
import { RefusedError } from './refusals';

export interface NewInstallation {
  email: string;
  name: string;
  password: string;
  team: string;
  project: string;
}

/** The created records, with the only copy of the token. */
export interface Setup {
  /** Public URL of the server. */
  server: string;
  user: UserRecord;
  team: TeamRecord;
  project: ProjectRecord;
  token: IssuedToken;
}

/** Creates the first records of an installation: an admin user, a team with a project, and a token. */
@Injectable()
export class SetupService {
  constructor(
    private readonly database: Database,
    private readonly users: UsersService,
    private readonly teams: TeamsService,
    private readonly projects: ProjectsService,
    private readonly tokens: TokensService,
    private readonly config: Config,
  ) {}

  /** Creates either all records or none. @throws RefusedError if the e-mail address is taken */
  run(installation: NewInstallation): Promise<Setup> {
    return this.database.together(() => this.make(installation));
  }

  private async make({ email, name, password, ...names }: NewInstallation): Promise<Setup> {
    const user = await this.users.create({ email, name, password, rate_limit: null }, 'admin');
    if (user === null) {
      throw new RefusedError(`A user with the e-mail address ${email} already exists. Nothing was created.`);
    }
    const team = await this.teams.create(names.team, 'admin');
    await this.teams.addMember(team.id, user.id, 'admin', 'admin');
    const project = await this.projects.create(
      { team_id: team.id, name: names.project, storage: 'localStorage' },
      'admin',
    );
    const token = await this.tokens.issue(user.id, 'Setup', 'write', 'admin');
    return { server: this.config.publicUrl, user, team, project, token };
  }
}
