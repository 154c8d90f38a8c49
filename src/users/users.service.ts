import { Injectable } from '@nestjs/common';
import type { Author } from '../access/actor';
import { audit } from '../audit/audit-log';
import { formatMicros, formatOptionalMicros, nowMicros } from '../common/time/clock';
import { Database, Tx } from '../database/database';
import { isUniqueViolation } from '../database/errors';
import { hashPassword } from './passwords';
import { endSessions } from './session.store';
import { User } from './user.entity';

/** A user as administrators see one. */
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

export interface NewUser {
  email: string;
  name: string;
  rate_limit: number | null;
  password: string | null;
}

export function toUserRecord(row: User): UserRecord {
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

/** E-mail addresses are compared in lower case. */
export const normalizeEmail = (email: string): string => email.trim().toLowerCase();

@Injectable()
export class UsersService {
  constructor(private readonly database: Database) {}

  async list(): Promise<UserRecord[]> {
    const rows = await this.database.read.getRepository(User).find({ order: { id: 'ASC' } });
    return rows.map(toUserRecord);
  }

  findByEmail(email: string): Promise<User | null> {
    return this.database.read.getRepository(User).findOneBy({ email: normalizeEmail(email) });
  }

  /** @returns null when the e-mail address is taken */
  async create(user: NewUser, author: Author): Promise<UserRecord | null> {
    const { password, name, rate_limit } = user;
    const passwordHash = password === null ? null : await hashPassword(password);
    const now = nowMicros();
    const columns = {
      email: normalizeEmail(user.email),
      name,
      password_hash: passwordHash,
      rate_limit,
      disabled_at: null,
      teams_version: 1,
      created_at: now,
      updated_at: now,
    };
    try {
      return await this.database.transaction(async (tx) => {
        const row = await tx.getRepository(User).save({ ...columns });
        const record = toUserRecord(row);
        await audit(tx, author, null, [
          { action: 'create', itemType: 'user', itemId: record.id, before: null, after: record },
        ]);
        return record;
      });
    } catch (error) {
      if (isUniqueViolation(error)) {
        return null;
      }
      throw error;
    }
  }

  /** Ends all sessions of the user. @param keptSession the session to keep */
  async setPassword(
    userId: number,
    password: string,
    author: Author,
    keptSession?: number,
  ): Promise<UserRecord | null> {
    const passwordHash = await hashPassword(password);
    return this.change(userId, 'set-password', { password_hash: passwordHash }, author, (tx) =>
      endSessions(tx, userId, keptSession),
    );
  }

  /** @param rateLimit requests per minute; 0 = unlimited */
  setRateLimit(userId: number, rateLimit: number, author: Author): Promise<UserRecord | null> {
    return this.change(userId, 'set-rate-limit', { rate_limit: rateLimit }, author);
  }

  disable(userId: number, author: Author): Promise<UserRecord | null> {
    return this.change(userId, 'disable', { disabled_at: nowMicros() }, author, (tx) =>
      endSessions(tx, userId),
    );
  }

  enable(userId: number, author: Author): Promise<UserRecord | null> {
    return this.change(userId, 'enable', { disabled_at: null }, author);
  }

  /** @param further additional changes @returns null if the user does not exist */
  private change(
    userId: number,
    action: string,
    changes: Partial<User>,
    author: Author,
    further: (tx: Tx) => Promise<void> = () => Promise.resolve(),
  ): Promise<UserRecord | null> {
    return this.database.transaction(async (tx: Tx) => {
      const users = tx.getRepository(User);
      const row = await users.findOneBy({ id: userId });
      if (row === null) {
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
