import { createParamDecorator, ExecutionContext } from '@nestjs/common';
import type { Actor, ActorRequest } from './actor';
import type { Role } from './roles';
import type { Micros } from '../common/time/clock';
import { MAX_ID } from '../common/validation/checks';

/** What a path id below a project names: where it is kept and what it lies in. */
export interface PathItem {
  /** Name of the path parameter. */
  param: string;
  table: string;
  /** The column that names the project, or the item before it in the path. */
  parentColumn: string;
  /** Further columns that permissions depend on. */
  columns?: readonly string[];
  /** SQL condition of rows that are not in the trash. */
  live?: string;
}

/** A row that a path id was resolved to. */
export interface ResolvedItem {
  id: number;
  version: number;
  [column: string]: unknown;
}

/** What a request may see and touch: everything in it exists and is visible to the actor. */
export interface UserScope {
  actor: Actor;
  /** Record tags of an `If-Match` header; null without one. */
  ifMatch: readonly string[] | null;
}

export interface TeamScope extends UserScope {
  teamId: number;
  role: Role;
}

/** Where in a project a path leads: everything in it exists and is visible to whoever asks. */
export interface ProjectPlace {
  teamId: number;
  /** Of whoever asks, in the team. */
  role: Role;
  projectId: number;
  /** The items of the path, by the names of their parameters. */
  items: Readonly<Record<string, ResolvedItem>>;
  /** The record that the request is about: the last item of the path unless its routes say otherwise, or the project. */
  target: ResolvedItem;
}

export interface ProjectScope extends TeamScope, ProjectPlace {}

export interface ScopedRequest extends ActorRequest {
  scope?: UserScope | TeamScope | ProjectScope;
  asOf?: Micros;
  /** On pages for whoever is signed in; these have no scope, because nothing is changed there. */
  place?: ProjectPlace;
}

/** The scope that the access guard resolved; declare it with the type that the route's path leads to. */
export const InScope = createParamDecorator((_: unknown, context: ExecutionContext) => {
  return context.switchToHttp().getRequest<ScopedRequest>().scope;
});

/** Where in a project a page is, as the access guard resolved it. */
export const InPlace = createParamDecorator((_: unknown, context: ExecutionContext) => {
  return context.switchToHttp().getRequest<ScopedRequest>().place;
});

/** The moment that the answer is about, a whole second; only routes with `sources` have it. */
export const AsOf = createParamDecorator((_: unknown, context: ExecutionContext) => {
  return context.switchToHttp().getRequest<ScopedRequest>().asOf;
});

/** A positive integer that can be an id, or null: then there is no such item. */
export function parsePathId(text: string): number | null {
  const id = /^[1-9]\d{0,9}$/.test(text) ? Number(text) : NaN;
  return id <= MAX_ID ? id : null;
}
