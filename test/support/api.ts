import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Role, ROLES } from '../../src/platform/access/roles';
import { AppModule } from '../../src/app.module';
import { Config, loadConfig } from '../../src/config/config';
import { Database } from '../../src/database/database';
import { entities } from '../../src/entities';
import { createApplication } from '../../src/platform/application';
import { ProjectsService } from '../../src/projects/projects.service';
import { TeamsService } from '../../src/teams/teams.service';
import { Sessions } from '../../src/users/sessions';
import { TokenVerifier } from '../../src/users/tokens/token-verifier';
import { TokenLimits, TokenPermission, TokensService } from '../../src/users/tokens/tokens.service';
import { UsersService } from '../../src/users/users.service';
import { Call, Client } from './client';
import { cacheFolderOf, TestDatabase } from './engine';
import { checkAgainstReference } from './reference';
import { failuresOnly } from './server-log';
import { createMigratedDatabase } from './template';

export const SECRET = 'a secret of at least 32 characters for tests';

export interface Person {
  id: number;
  email: string;
  /** A token with read & write permission. */
  token: string;
  client: Client;
}

export interface World {
  teamId: number;
  projectId: number;
  /** `/projects/<id>` */
  project: string;
  people: Record<Role, Person>;
  /** A member of another team. */
  outsider: Person;
}

/** The whole application, on a separate database. */
export class TestApi {
  private users = 0;

  private constructor(
    readonly app: NestFastifyApplication,
    readonly database: Database,
    readonly config: Config,
    private readonly store: TestDatabase,
  ) {}

  /**
   * @param via can start a proxy in front of the database, and returns the URL to connect to
   * @param create creates the database, which is then migrated if necessary
   */
  static async start(
    environment: Record<string, string> = {},
    via: (databaseUrl: string) => Promise<string> = (url) => Promise.resolve(url),
    create: () => Promise<TestDatabase> = createMigratedDatabase,
  ): Promise<TestApi> {
    const store = await create();
    const config = testConfig({ DATABASE_URL: await via(store.url), ...environment });
    const database = await Database.open(config.database, entities);
    if ((await database.pendingMigrations()).length > 0) {
      await database.migrate();
    }
    const app = await createOn(database, config);
    return new TestApi(app, database, config, store);
  }

  /** Starts a second application on the same database, as another process would. Close it before this application. */
  async sibling(environment: Record<string, string> = {}): Promise<TestApi> {
    const config = testConfig({ DATABASE_URL: this.store.url, ...environment });
    const database = await Database.open(config.database, entities);
    const app = await createOn(database, config);
    return new TestApi(app, database, config, { url: this.store.url, remove: () => Promise.resolve() });
  }

  get databaseUrl(): string {
    return this.store.url;
  }

  async close(): Promise<void> {
    await this.app.close();
    await this.store.remove();
  }

  /** A client that sends this token; null sends no token. */
  as(token: string | null): Client {
    return new Client(this.app, token, (call: Call) => checkAgainstReference(this.app, this.config, call));
  }

  /** @param rateLimit requests per minute; 0 = unlimited, null = the server's default */
  async person(rateLimit: number | null = 0): Promise<Person> {
    this.users += 1;
    const email = `person-${this.users}@example.com`;
    const user = await new UsersService(this.database).create(
      { email, name: `Person ${this.users}`, rate_limit: rateLimit, password: null },
      'admin',
    );
    if (user === null) {
      throw new Error(`${email} exists already`);
    }
    const token = await this.token(user.id, 'write');
    return { id: user.id, email, token, client: this.as(token) };
  }

  async token(userId: number, permission: TokenPermission, limits: TokenLimits = {}): Promise<string> {
    const issued = await this.app
      .get(TokensService, { strict: false })
      .issue(userId, 'Test', permission, 'admin', limits);
    return issued.token;
  }

  /** Waits until the times of the last use of tokens and sessions are stored. Requests do not wait for that. */
  async usesStored(): Promise<void> {
    await this.app.get(TokenVerifier, { strict: false }).onApplicationShutdown();
    await this.app.get(Sessions, { strict: false }).onApplicationShutdown();
  }

  async team(name = 'Team'): Promise<number> {
    return (await this.app.get(TeamsService, { strict: false }).create(name, 'admin')).id;
  }

  async join(teamId: number, person: Person, role: Role): Promise<void> {
    await this.app.get(TeamsService, { strict: false }).addMember(teamId, person.id, role, 'admin');
  }

  async project(
    teamId: number,
    name = 'Shop',
    storage: 'localStorage' | 'cookie' = 'localStorage',
  ): Promise<number> {
    const project = { team_id: teamId, name, storage };
    return (await this.app.get(ProjectsService, { strict: false }).create(project, 'admin')).id;
  }

  /** Creates a team with one member per role and a project, and a member of another team. */
  async world(): Promise<World> {
    const teamId = await this.team();
    const people = {} as Record<Role, Person>;
    for (const role of ROLES) {
      people[role] = await this.person();
      await this.join(teamId, people[role], role);
    }
    const outsider = await this.person();
    await this.join(await this.team('Other team'), outsider, 'admin');
    const projectId = await this.project(teamId);
    return { teamId, projectId, project: `/projects/${projectId}`, people, outsider };
  }
}

/**
 * Creates the application. Closes the database if that fails, because open connections would keep the test run from
 * ending.
 */
async function createOn(database: Database, config: Config): Promise<NestFastifyApplication> {
  try {
    return await createApplication(AppModule.forRoot(config, database), config, failuresOnly());
  } catch (error) {
    await database.onApplicationShutdown();
    throw error;
  }
}

/** A valid configuration for tests, with the given variables. The worker is off by default. */
export function testConfig(environment: Record<string, string>): Config {
  return loadConfig({
    SESSION_SECRET: SECRET,
    PUBLIC_URL: 'https://ab.example.com',
    WORKER: 'off',
    // The server shares its event loop with the tests, which can block it.
    MAX_EVENT_LOOP_DELAY_MS: '0',
    CACHE_DIR: cacheFolderOf(environment.DATABASE_URL),
    ...environment,
  });
}
