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

/** Somebody on the pages for people; without a user it is whoever failed to sign in. */
export interface PageAuthor {
  userId: number | null;
  tokenId: null;
}

/** On whose account a change is recorded: an actor's, somebody's on a page, the admin command's, or the server's own. */
export type Author = Pick<Actor, 'userId' | 'tokenId'> | PageAuthor | 'admin' | 'server';

/** Who is signed in, and since which sign-in. */
export interface SignedInUser {
  sessionId: number;
  userId: number;
}

export interface ActorRequest extends FastifyRequest {
  /** Absent when the request carries no valid token. */
  actor?: Actor;
  /** Absent when nobody is signed in, and where it does not matter. */
  session?: SignedInUser;
}
