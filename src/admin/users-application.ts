import { AuditEntry } from '../audit/audit-entry.entity';
import type { Config } from '../config/config';
import { Identity, Session, User } from '../users/user.entities';
import { UsersService } from '../users/users.service';
import { openCurrentDatabase } from './open-database';

/** The entities that the service needs. */
const ENTITIES = [AuditEntry, Identity, Session, User];

/** The users service without the rest of the application. */
export interface UsersApplication {
  users: UsersService;
  close: () => Promise<void>;
}

/** Starts only the users service. @throws RefusedError, like `startApplication` */
export async function startUsers(config: Config): Promise<UsersApplication> {
  const database = await openCurrentDatabase(config, ENTITIES);
  return { users: new UsersService(database), close: () => database.onApplicationShutdown() };
}
