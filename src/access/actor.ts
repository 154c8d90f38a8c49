import type {} from '@fastify/session';
import type { FastifyRequest } from 'fastify';

export const ABILITIES = ['read', 'write'] as const;

export type Ability = (typeof ABILITIES)[number];

/** The user of an API request, and the token. */
export interface Actor {
  userId: number;
  tokenId: number;
  abilities: readonly Ability[];
  /** Requests per minute; 0 = unlimited. */
  rateLimit: number;
}

/** A user of the pages; without a user, a failed sign-in. */
export interface PageAuthor {
  userId: number | null;
  tokenId: null;
}

/** The source of a change in the audit log: an API actor, a user of a page, the admin command, or the server. */
export type Author = Pick<Actor, 'userId' | 'tokenId'> | PageAuthor | 'admin' | 'server';

/** The signed-in user, with the session. */
export interface SignedInUser {
  sessionId: number;
  userId: number;
  email: string;
}

declare module 'fastify' {
  interface Session {
    /** Absent before sign-in. */
    signedIn?: SignedInUser;
  }
}

/** The signed-in user; undefined without one, and on routes that do not need a session. */
export const signedInUser = ({ session }: FastifyRequest): SignedInUser | undefined =>
  (session as FastifyRequest['session'] | undefined)?.signedIn;

export interface ActorRequest extends FastifyRequest {
  /** Absent when the request carries no valid token. */
  actor?: Actor;
}
