import type { FastifyRequest } from 'fastify';

export const ABILITIES = ['read', 'write'] as const;

export type Ability = (typeof ABILITIES)[number];

/** Who is acting through the API, and with what. */
export interface Actor {
  userId: number;
  tokenId: number;
  abilities: readonly Ability[];
  /** Requests per minute; 0 = unlimited. */
  rateLimit: number;
}

/** On whose account a change is recorded: an actor's, the admin command's, or the server's own. */
export type Author = Pick<Actor, 'userId' | 'tokenId'> | 'admin' | 'server';

export interface ActorRequest extends FastifyRequest {
  /** Absent when the request carries no valid token. */
  actor?: Actor;
}
