import { Injectable, Logger } from '@nestjs/common';
import type { SignedInUser } from '../../platform/access/actor';
import { ROLES } from '../../platform/access/roles';
import { Database } from '../../database/database';
import { isUniqueViolation } from '../../database/errors';
import { Memberships } from '../../teams/memberships';
import { TeamsService } from '../../teams/teams.service';
import { Identification, Identities } from '../../users/identities';
import { insertUser } from '../../users/users.service';
import type { Person } from './openid-claims';
import { OpenIdProvider } from './openid-provider';

/** Finds or creates the user for an account that the provider has authenticated. */
@Injectable()
export class OpenIdSignIn {
  private readonly logger = new Logger(OpenIdSignIn.name);

  constructor(
    private readonly database: Database,
    private readonly identities: Identities,
    private readonly memberships: Memberships,
    private readonly teams: TeamsService,
    private readonly provider: OpenIdProvider,
  ) {}

  /**
   * Finds or creates the user for a person. `OIDC_AUTO_CREATE` determines whether unknown users are created. When a
   * user signs in with a provider account for the first time, the user's other sessions end.
   */
  identify(person: Person): Promise<Identification> {
    return repeated(async () => {
      const found = await this.database.transaction((tx) =>
        this.identities.identify(tx, person.account, person.email),
      );
      return found.outcome === 'unknown' ? this.create(person) : found;
    });
  }

  /** Whether a person is the user of a session. Changes nothing if not. */
  isUserOf(session: SignedInUser, { account, email }: Person): Promise<boolean> {
    return repeated(() =>
      this.database.transaction((tx) => this.identities.belongsTo(tx, account, email, session)),
    );
  }

  private async create({ account, email, name }: Person): Promise<Identification> {
    const { teamId, role: named } = this.provider.target?.autoCreate ?? {};
    const role = ROLES.find((each) => each === named);
    if (teamId === undefined || role === undefined) {
      return { outcome: 'unknown' };
    }
    if (!(await this.teams.exists(teamId))) {
      this.logger.error(`OIDC_AUTO_CREATE names team ${teamId}, which does not exist. No user was created.`);
      return { outcome: 'unknown' };
    }
    const user = await this.memberships.change(teamId, 'server', async (write) => {
      const columns = { email, name, rate_limit: null, password_hash: null };
      const { id } = await insertUser(write.tx, columns, write.author);
      await this.memberships.add(write, id, role);
      return this.identities.link(write.tx, id, account);
    });
    return { outcome: 'identified', user };
  }
}

/** Repeats a step once if another request has stored the account or the user in the meantime. */
async function repeated<T>(step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    if (!isUniqueViolation(error)) {
      throw error;
    }
    return step();
  }
}
