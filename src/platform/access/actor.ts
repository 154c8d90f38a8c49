import type {} from '@fastify/session';
import type { FastifyRequest } from 'fastify';
import type { Micros } from '../../common/time/clock';

export type Ability = 'read' | 'write';

/** The user who sends an API request, and the token that authenticates it. */
export interface Actor {
  userId: number;
  /** Null for requests that a page makes on behalf of its signed-in user. */
  tokenId: number | null;
  abilities: readonly Ability[];
  /** Requests per minute; 0 = unlimited. */
  rateLimit: number;
  /** The only projects that the token may access; absent if it may access all the user's projects. */
  projectIds?: readonly number[];
  /** The id of the request; absent outside requests. */
  requestId?: string;
  /** Set if the request reverts an earlier change. */
  isReverting?: true;
}

/**
 * The signed-in user of a page as the source of changes. @param rateLimit requests per minute; unlimited by default,
 * for work outside requests
 */
export const pageActor = (userId: number, rateLimit = 0): Actor => ({
  userId,
  tokenId: null,
  abilities: ['read', 'write'],
  rateLimit,
});

/** The author of a change on a page, which also gives the request id. `userId` is null for a failed sign-in. */
export interface PageAuthor {
  userId: number | null;
  tokenId: null;
}

/** The sources of the changes that the server makes automatically in projects. */
export type Automation = 'schedule' | 'guardrail';

/**
 * The source of a change, as the audit log records it: an API actor, a console user, the admin command, an automation,
 * or the server's housekeeping.
 */
export type Author =
  | Pick<Actor, 'userId' | 'tokenId' | 'requestId' | 'isReverting'>
  | PageAuthor
  | 'admin'
  | 'server'
  | Automation;

/** The signed-in user, with the session. */
export interface SignedInUser {
  sessionId: number;
  userId: number;
  email: string;
  /** API requests per minute; 0 = unlimited, null = the server's default. */
  rateLimit: number | null;
  /** When the user last entered the password in this session, either at sign-in or later. */
  confirmedAt: Micros;
}

declare module 'fastify' {
  interface Session {
    /** Absent before sign-in. */
    signedIn?: SignedInUser;
  }
}

/** The signed-in user; undefined if there is none, and on routes that do not need a session. */
export const signedInUser = ({ session }: FastifyRequest): SignedInUser | undefined =>
  (session as FastifyRequest['session'] | undefined)?.signedIn;

export interface ActorRequest extends FastifyRequest {
  /** Absent when the request carries no valid token. */
  actor?: Actor;
}
