import { createParamDecorator, ExecutionContext } from '@nestjs/common';
import type { Actor, ActorRequest } from './actor';
import type { Role } from './roles';
import type { Micros } from '../../common/time/clock';

/** The meaning of a path id below a project: its table and its parent. */
export interface PathItem {
  /** Name of the path parameter. */
  param: string;
  table: string;
  /** The column that contains the id of the project or of the previous item in the path. */
  parentColumn: string;
  /** The column that contains the path id; `id` by default. */
  idColumn?: string;
  /** False for rows that the API cannot change. The version of such rows is always 0. True by default. */
  hasVersion?: boolean;
  /** Further columns that permissions depend on. */
  columns?: readonly string[];
  /** Whether deleted rows remain in the table, marked by `deleted_at`. */
  isKeptInTrash?: boolean;
}

/** The row for a path id. */
export interface ResolvedItem {
  id: number;
  version: number;
  [column: string]: unknown;
}

/** The records that a request concerns. All of them exist and are visible to the actor. */
export interface UserScope {
  actor: Actor;
  /** The record tags in the `If-Match` header; null if the request has none. */
  ifMatch: readonly string[] | null;
}

export interface TeamScope extends UserScope {
  teamId: number;
  role: Role;
}

/** Identifies a list of a team in ETags. */
export const teamListSpace = (teamId: number, collection: string): string => `team:${teamId}:${collection}`;

/** The scope of a path that contains a record of a team. */
export interface TeamItemScope extends TeamScope {
  target: ResolvedItem;
}

/** The records in a path below a project. All of them exist and are visible to the caller. */
export interface ProjectPlace {
  teamId: number;
  /** The caller's role in the team. */
  role: Role;
  projectId: number;
  /** The items in the path, by parameter name. */
  items: Readonly<Record<string, ResolvedItem>>;
  /** The subject of the request: by default the last item in the path, or the project. */
  target: ResolvedItem;
}

export interface ProjectScope extends TeamScope, ProjectPlace {}

export interface ScopedRequest extends ActorRequest {
  scope?: UserScope | TeamScope | TeamItemScope | ProjectScope;
  asOf?: Micros;
  /** Set on pages with a session. Pages have no scope, because they change nothing. */
  place?: ProjectPlace;
}

/** The scope resolved by the access guard. Declare the parameter with the type for the route's path. */
export const InScope = createParamDecorator((_: unknown, context: ExecutionContext) => {
  return context.switchToHttp().getRequest<ScopedRequest>().scope;
});

/** The project and records in a page's path, resolved by the access guard. */
export const InPlace = createParamDecorator((_: unknown, context: ExecutionContext) => {
  return context.switchToHttp().getRequest<ScopedRequest>().place;
});

/** The time of the response in whole seconds; only for routes with `sources`. */
export const AsOf = createParamDecorator((_: unknown, context: ExecutionContext) => {
  return context.switchToHttp().getRequest<ScopedRequest>().asOf;
});
