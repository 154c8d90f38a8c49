import { Injectable } from '@nestjs/common';
import type { Ability, Actor, Author } from '../access/actor';
import { audit } from '../audit/audit-log';
import { formatMicros, formatOptionalMicros, nowMicros } from '../common/time/clock';
import { Database } from '../database/database';
import { ApiToken } from './api-token.entity';
import { hashToken, newTokenText } from './token-text';
import { TokenVerifier } from './token-verifier';

export const TOKEN_PERMISSIONS = { read: ['read'], write: ['read', 'write'] } as const;

export type TokenPermission = keyof typeof TOKEN_PERMISSIONS;

/** A token in the list, without its text. */
export interface TokenRecord {
  id: number;
  name: string;
  abilities: Ability[];
  last_used_at: string | null;
  created_at: string;
}

/** A new token with its text. */
export type IssuedToken = Pick<TokenRecord, 'id' | 'name' | 'abilities'> & { token: string };

const toTokenRecord = (row: ApiToken): TokenRecord => ({
  id: row.id,
  name: row.name,
  abilities: row.abilities.split(',') as Actor['abilities'][number][],
  last_used_at: formatOptionalMicros(row.last_used_at),
  created_at: formatMicros(row.created_at),
});

@Injectable()
export class TokensService {
  constructor(
    private readonly database: Database,
    private readonly verifier: TokenVerifier,
  ) {}

  /** Creates a token. Its text is returned only here. */
  issue(userId: number, name: string, permission: TokenPermission, author: Author): Promise<IssuedToken> {
    const token = newTokenText();
    const abilities = [...TOKEN_PERMISSIONS[permission]];
    return this.database.transaction(async (tx) => {
      const row = await tx.getRepository(ApiToken).save({
        user_id: userId,
        name,
        token_hash: hashToken(token),
        abilities: abilities.join(','),
        last_used_at: null,
        created_at: nowMicros(),
      });
      const shown = { id: row.id, name, abilities };
      await audit(tx, author, null, [
        {
          action: 'create',
          itemType: 'token',
          itemId: row.id,
          before: null,
          after: { ...shown, user_id: userId },
        },
      ]);
      return { ...shown, token };
    });
  }

  async list(userId: number): Promise<TokenRecord[]> {
    const rows = await this.database.read
      .getRepository(ApiToken)
      .find({ where: { user_id: userId }, order: { id: 'ASC' } });
    return rows.map(toTokenRecord);
  }

  /** A token of a user; null when the user has no such token. */
  async find(id: number, userId: number): Promise<TokenRecord | null> {
    const row = await this.database.read.getRepository(ApiToken).findOneBy({ id, user_id: userId });
    return row === null ? null : toTokenRecord(row);
  }

  /** @param userId the required owner; by default any user @returns false if the token does not exist */
  async revoke(id: number, author: Author, userId?: number): Promise<boolean> {
    const revoked = await this.database.transaction(async (tx) => {
      const tokens = tx.getRepository(ApiToken);
      const row = await tokens.findOneBy({ id, ...(userId !== undefined && { user_id: userId }) });
      if (row === null) {
        return null;
      }
      await tokens.delete({ id });
      await audit(tx, author, null, [
        { action: 'revoke', itemType: 'token', itemId: id, before: toTokenRecord(row), after: null },
      ]);
      return row;
    });
    if (revoked !== null) {
      this.verifier.forget(revoked.token_hash);
    }
    return revoked !== null;
  }
}
