import { Injectable, OnApplicationBootstrap, RequestMethod } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import { addressOf } from './api-prefix';
import { declarationOf, type RouteDeclaration } from './route-access';

export interface DeclaredRoute extends RouteDeclaration {
  /** Controller and method, used in messages. */
  handler: string;
  method: string;
  /** Path without the global prefix, such as `teams/:team/projects`. */
  path: string;
}

/** Collects all routes, and prevents the server from starting if a route does not declare its access. */
@Injectable()
export class RouteAudit implements OnApplicationBootstrap {
  private addresses: ReadonlySet<string> | undefined;

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
  ) {}

  onApplicationBootstrap(): void {
    const problems = this.routes().flatMap(problemsOf);
    if (problems.length > 0) {
      throw new Error(`These routes do not declare their access:\n${problems.join('\n')}`);
    }
  }

  routes(): DeclaredRoute[] {
    return this.discovery.getControllers().flatMap(({ metatype, instance }) => {
      const prototype = Object.getPrototypeOf(instance) as object;
      return this.scanner.getAllMethodNames(prototype).flatMap((name) => {
        const handler = (instance as Record<string, unknown>)[name] as (...values: unknown[]) => unknown;
        const method = Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod | undefined;
        return method === undefined ? [] : [describe(metatype as new () => object, name, handler, method)];
      });
    });
  }

  /**
   * Whether a controller declares the route. The access declarations of these routes are checked when the server
   * starts.
   */
  isDeclared({ method, path }: { method: string; path: string }): boolean {
    this.addresses ??= new Set(
      this.routes().map((route) => `${route.method} ${addressOf(route.path, route.needsSession)}`),
    );
    const address = path === '/' ? path : path.replace(/\/$/, '');
    return this.addresses.has(`${method === 'HEAD' ? 'GET' : method} ${address}`);
  }
}

function describe(
  controller: new () => object,
  name: string,
  handler: (...values: unknown[]) => unknown,
  method: RequestMethod,
): DeclaredRoute {
  const paths = [Reflect.getMetadata(PATH_METADATA, controller), Reflect.getMetadata(PATH_METADATA, handler)];
  return {
    ...declarationOf(controller, handler),
    handler: `${controller.name}.${name}`,
    method: RequestMethod[method],
    path: paths
      .map((path) => String(path).replace(/^\/|\/$/g, ''))
      .filter((path) => path !== '')
      .join('/'),
  };
}

function problemsOf(route: DeclaredRoute): string[] {
  const { handler, isPublic, needsSession, access } = route;
  const decisions = [isPublic, needsSession, access !== null].filter((isDecided) => isDecided).length;
  if (decisions > 1) {
    return [`${handler}: more than one of @Can, @SignedIn and @Public.`];
  }
  if (isPublic) {
    return [];
  }
  const undecided = decisions === 0 ? [`${handler}: neither @Can nor @SignedIn nor @Public.`] : [];
  return [...undecided, ...pathProblems(route), ...pageProblems(route)];
}

/** Pages in projects are read-only, except for forms, which leave all checks to the API. */
function pageProblems({ handler, method, needsSession, callsApi, projectRoutes }: DeclaredRoute): string[] {
  return needsSession && projectRoutes !== null && method !== 'GET' && !callsApi
    ? [`${handler}: a page in a project is for GET only, except for forms with @CallsApi.`]
    : [];
}

function pathProblems(route: DeclaredRoute): string[] {
  const { handler, path, needsSession, ownIds, projectRoutes, teamRoutes } = route;
  const problems: string[] = [];
  const params = [...path.matchAll(/:(\w+)/g)].map((match) => match[1]);
  const items = (projectRoutes?.items ?? []).map(({ param }) => param);
  const teamItems = teamRoutes?.item === undefined ? [] : [teamRoutes.item.param];
  const texts = projectRoutes?.texts ?? [];
  const resolved = ['project', ...texts, ...(needsSession ? ownIds : ['team', ...teamItems]), ...items];
  const unresolved = params.filter((param) => !resolved.includes(param ?? ''));
  if (params.includes('project') && projectRoutes === null) {
    problems.push(`${handler}: the controller needs @InProject.`);
  } else if (params.includes('team') && !needsSession && teamRoutes === null) {
    problems.push(`${handler}: the controller needs @InTeam.`);
  } else if (unresolved.length > 0) {
    problems.push(`${handler}: there is no resolver for the path ids ${unresolved.join(', ')}.`);
  }
  return problems;
}
