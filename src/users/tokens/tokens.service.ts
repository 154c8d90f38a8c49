import { Injectable, Module } from '@nestjs/common';
import { audit } from '../../audit/audit-log';
import { DAY_MICROS, formatMicros, formatOptionalMicros, Micros, nowMicros } from '../../common/time/clock';
import { Database } from '../../database/database';
import type { Ability, Actor, Author } from '../../platform/access/actor';
import { ApiToken } from './api-token.entity';
import { hashToken, newTokenText } from './token-text';
import { TokenVerifier } from './token-verifier';
import { TokenProject, TokenStore } from './token.store';

export const TOKEN_PERMISSIONS = { read: ['read'], write: ['read', 'write'] } as const;

export type TokenPermission = keyof typeof TOKEN_PERMISSIONS;

/** A token in the list, without the secret. */
export interface TokenRecord {
  id: number;
  name: string;
  abilities: Ability[];
  /** Null for a token that does not expire. */
  expires_at: string | null;
  /** The only projects that the token may access; null for all. */
  projects: LimitedTo[] | null;
  last_used_at: string | null;
  created_at: string;
}

/** A project that a limited token may access. The name is null if the user may no longer see the project. */
export interface LimitedTo {
  id: number;
  name: string | null;
}

/** The limits of a token. */
export interface TokenLimits {
  /** Null for a token that does not expire. */
  expiresAt?: Micros | null;
  /** The only projects that the token may access; null for all. */
  projectIds?: readonly number[] | null;
}

/** A new token, with the secret. */
export type IssuedToken = Pick<TokenRecord, 'id' | 'name' | 'abilities'> & { token: string };

/** The expiry of a token that is valid for this number of days. */
export const expiryIn = (days: number): Micros => nowMicros() + days * DAY_MICROS;

/** The largest number of projects to which a token can be limited. */
export const MAX_TOKEN_PROJECTS = 100;

const toTokenRecord = (row: ApiToken, projects: readonly TokenProject[]): TokenRecord => ({
  id: row.id,
  name: row.name,
  abilities: row.abilities.split(',') as Actor['abilities'][number][],
  expires_at: formatOptionalMicros(row.expires_at),
  projects:
    row.project_ids?.map((id) => ({
      id,
      name: projects.find((project) => project.id === id)?.name ?? null,
    })) ?? null,
  last_used_at: formatOptionalMicros(row.last_used_at),
  created_at: formatMicros(row.created_at),
});

@Injectable()
export class TokensService {
  constructor(
    private readonly database: Database,
    private readonly verifier: TokenVerifier,
    private readonly store: TokenStore,
  ) {}

  /** Creates a token. Only this function returns the secret. */
  issue(
    userId: number,
    name: string,
    permission: TokenPermission,
    author: Author,
    { expiresAt = null, projectIds = null }: TokenLimits = {},
  ): Promise<IssuedToken> {
    if (projectIds?.length === 0) {
      throw new Error('A token that is limited to projects needs at least one project.');
    }
    const token = newTokenText();
    const abilities = [...TOKEN_PERMISSIONS[permission]];
    return this.database.transaction(async (tx) => {
      const row = await tx.getRepository(ApiToken).save({
        user_id: userId,
        name,
        token_hash: hashToken(token),
        abilities: abilities.join(','),
        last_used_at: null,
        expires_at: expiresAt,
        project_ids: projectIds === null ? null : [...projectIds],
        created_at: nowMicros(),
      });
      const shown = { id: row.id, name, abilities };
      await audit(tx, author, null, [
        {
          action: 'create',
          itemType: 'token',
          itemId: row.id,
          before: null,
          after: {
            ...shown,
            user_id: userId,
            expires_at: formatOptionalMicros(expiresAt),
            project_ids: projectIds,
          },
        },
      ]);
      return { ...shown, token };
    });
  }

  async list(userId: number): Promise<TokenRecord[]> {
    const rows = await this.database.read
      .getRepository(ApiToken)
      .find({ where: { user_id: userId }, order: { id: 'ASC' } });
    const projects = await this.store.projectsOf(userId);
    return rows.map((row) => toTokenRecord(row, projects));
  }

  /** The projects to which the user can limit a token. */
  projectsOf(userId: number): Promise<TokenProject[]> {
    return this.store.projectsOf(userId);
  }

  /** A token of a user; null if the user has no such token. */
  async find(id: number, userId: number): Promise<TokenRecord | null> {
    const row = await this.database.read.getRepository(ApiToken).findOneBy({ id, user_id: userId });
    return row === null ? null : toTokenRecord(row, await this.store.projectsOf(userId));
  }

  /** @param userId the required owner; any user by default @returns false if the token does not exist */
  async revoke(id: number, author: Author, userId?: number): Promise<boolean> {
    const revoked = await this.database.transaction(async (tx) => {
      const tokens = tx.getRepository(ApiToken);
      const row = await tokens.findOneBy({ id, ...(userId !== undefined && { user_id: userId }) });
      if (row === null) {
        return null;
      }
      await tokens.delete({ id });
      await audit(tx, author, null, [
        { action: 'revoke', itemType: 'token', itemId: id, before: toTokenRecord(row, []), after: null },
      ]);
      return row;
    });
    if (revoked !== null) {
      this.verifier.forget(revoked.token_hash);
    }
    return revoked !== null;
  }
}

@Module({ providers: [TokensService, TokenStore, TokenVerifier], exports: [TokensService, TokenVerifier] })
export class TokensModule {}
