import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Author, SignedInUser } from '../platform/access/actor';
import { audit, type AuditAction } from '../audit/audit-log';
import { formatMicros, formatOptionalMicros, nowMicros } from '../common/time/clock';
import { Database, Tx } from '../database/database';
import { isUniqueViolation } from '../database/errors';
import { lockRows } from '../database/row-store';
import { normalizeEmail } from './email';
import { withdrawLinksKnownTo } from './invitation.store';
import { deleteIdentities } from './user.store';
import { hashPassword } from './passwords';
import { endSessions } from './session.store';
import { User } from './user.entities';

/** A user in the form that administrators see. */
export interface UserRecord {
  id: number;
  email: string;
  name: string;
  rate_limit: number | null;
  has_password: boolean;
  disabled_at: string | null;
  created_at: string;
  updated_at: string;
}

/** A user whose accounts have been unlinked. */
export interface UnlinkedUser extends UserRecord {
  /** The issuers of the accounts; empty if no account was linked. */
  unlinked: string[];
}

interface ChangeOptions {
  /** Whether the change may still be made. This is decided while the user is locked. */
  isStillValid?: (user: User) => boolean;
  /** Additional changes in the same transaction. */
  further?: (tx: Tx) => Promise<void>;
}

export interface NewUser {
  email: string;
  name: string;
  rate_limit: number | null;
  password: string | null;
}

function toUserRecord(row: User): UserRecord {
  return {
    id: row.id,
    email: row.email,
    name: row.name,
    rate_limit: row.rate_limit,
    has_password: row.password_hash !== null,
    disabled_at: formatOptionalMicros(row.disabled_at),
    created_at: formatMicros(row.created_at),
    updated_at: formatMicros(row.updated_at),
  };
}

/** Inserts a user in a transaction. Fails with a unique violation if the e-mail address is taken. */
export async function insertUser(
  tx: Tx,
  user: Pick<User, 'email' | 'name' | 'rate_limit' | 'password_hash'>,
  author: Author,
): Promise<UserRecord> {
  const now = nowMicros();
  const row = await tx.getRepository(User).save({
    ...user,
    email: normalizeEmail(user.email),
    disabled_at: null,
    teams_version: 1,
    created_at: now,
    updated_at: now,
  });
  const record = toUserRecord(row);
  await audit(tx, author, null, [
    { action: 'create', itemType: 'user', itemId: record.id, before: null, after: record },
  ]);
  return record;
}

@Injectable()
export class UsersService {
  private isAnyKnown = false;

  constructor(private readonly database: Database) {}

  /** Whether there are any users. Users are never deleted, so a positive result is cached. */
  async areAny(): Promise<boolean> {
    this.isAnyKnown ||= await this.database.read.getRepository(User).exists();
    return this.isAnyKnown;
  }

  async list(): Promise<UserRecord[]> {
    const rows = await this.database.read.getRepository(User).find({ order: { id: 'ASC' } });
    return rows.map(toUserRecord);
  }

  findByEmail(email: string): Promise<User | null> {
    return this.findIn(this.database.read, email);
  }

  /** Like `findByEmail`, in a transaction. */
  findIn(manager: EntityManager, email: string): Promise<User | null> {
    return manager.getRepository(User).findOneBy({ email: normalizeEmail(email) });
  }

  /** @returns null if the e-mail address is taken */
  async create(user: NewUser, author: Author): Promise<UserRecord | null> {
    const { password, ...columns } = user;
    const passwordHash = password === null ? null : await hashPassword(password);
    try {
      return await this.database.transaction((tx) =>
        insertUser(tx, { ...columns, password_hash: passwordHash }, author),
      );
    } catch (error) {
      if (isUniqueViolation(error)) {
        return null;
      }
      throw error;
    }
  }

  /** Sets the password and ends all sessions of the user. */
  async setPassword(userId: number, password: string, author: Author): Promise<UserRecord | null> {
    const passwordHash = await hashPassword(password);
    return this.change(userId, 'set-password', { password_hash: passwordHash }, author, {
      further: (tx) => endSessions(tx, userId),
    });
  }

  /**
   * Replaces the password of a signed-in user who knows it, and ends all other sessions of the user.
   * @param verifiedHash the hash against which the current password was verified
   * @returns null if the password has been replaced or the user has been disabled since then
   */
  async replacePassword(
    { userId, sessionId }: SignedInUser,
    verifiedHash: string,
    password: string,
  ): Promise<UserRecord | null> {
    const passwordHash = await hashPassword(password);
    const author = { userId, tokenId: null };
    return this.change(userId, 'set-password', { password_hash: passwordHash }, author, {
      isStillValid: (user) => user.password_hash === verifiedHash && user.disabled_at === null,
      further: (tx) => endSessions(tx, userId, sessionId),
    });
  }

  /** @param rateLimit requests per minute; 0 = unlimited */
  setRateLimit(userId: number, rateLimit: number, author: Author): Promise<UserRecord | null> {
    return this.change(userId, 'set-rate-limit', { rate_limit: rateLimit }, author);
  }

  /** Disables a user, ends the user's sessions, and withdraws invitation links with which an admin could return. */
  disable(userId: number, author: Author): Promise<UserRecord | null> {
    const now = nowMicros();
    return this.change(userId, 'disable', { disabled_at: now }, author, {
      further: async (tx) => {
        await endSessions(tx, userId);
        await withdrawLinksKnownTo(tx, userId, now);
      },
    });
  }

  enable(userId: number, author: Author): Promise<UserRecord | null> {
    return this.change(userId, 'enable', { disabled_at: null }, author);
  }

  /** Unlinks the user's accounts at OpenID Connect providers and ends all of the user's sessions. */
  async unlink(userId: number, author: Author): Promise<UnlinkedUser | null> {
    let unlinked: string[] = [];
    const record = await this.change(userId, 'unlink-identity', {}, author, {
      further: async (tx) => {
        unlinked = await deleteIdentities(tx, userId);
        await endSessions(tx, userId);
      },
    });
    return record && { ...record, unlinked };
  }

  /** Changes a user. @returns null if the user does not exist, or if the change may no longer be made */
  private change(
    userId: number,
    action: AuditAction,
    changes: Partial<User>,
    author: Author,
    { isStillValid = () => true, further = () => Promise.resolve() }: ChangeOptions = {},
  ): Promise<UserRecord | null> {
    return this.database.transaction(async (tx: Tx) => {
      await lockRows(tx, 'users', 'id', [userId]);
      const users = tx.getRepository(User);
      const row = await users.findOneBy({ id: userId });
      if (row === null || !isStillValid(row)) {
        return null;
      }
      const before = toUserRecord(row);
      const columns = { ...changes, updated_at: nowMicros() };
      await users.update({ id: userId }, columns);
      await further(tx);
      const record = toUserRecord({ ...row, ...columns });
      await audit(tx, author, null, [{ action, itemType: 'user', itemId: userId, before, after: record }]);
      return record;
    });
  }
}
