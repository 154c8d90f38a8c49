import type { FastifyInstance } from 'fastify';
import type { HTTPMethod } from 'find-my-way';
import createRouter from 'find-my-way';
import type { RawAccess } from './raw-routes';

/** A registered route. */
export interface KnownRoute {
  method: string;
  path: string;
  /** Null for routes of controllers, whose decorators declare their access, and for undeclared routes. */
  access: RawAccess | null;
}

/**
 * All routes of a server, with their access and methods. With this table, the server distinguishes a known path with a
 * method that it does not support (405) from an unknown path (404).
 */
export class RouteTable {
  private readonly router = createRouter({ ignoreTrailingSlash: true, maxParamLength: 2_000 });
  private readonly methods = new Set<HTTPMethod>();
  private readonly libraries: string[] = [];
  readonly routes: KnownRoute[] = [];

  /** Records every route that is added to the server from now on. */
  watch(server: FastifyInstance): void {
    server.addHook('onRoute', ({ method, path, config }) => {
      this.add(method, path, config?.access ?? this.accessOfLibrary(path));
    });
  }

  /** Declares a library's routes at and under a path as public. */
  openLibrary(path: string): void {
    this.libraries.push(path);
  }

  /** Records one route. */
  add(method: string | string[], path: string, access: RawAccess | null = null): void {
    for (const name of [method].flat() as HTTPMethod[]) {
      this.routes.push({ method: name, path, access });
      if (!path.includes('*') && !this.router.hasRoute(name, path)) {
        this.router.on(name, path, () => undefined);
        this.methods.add(name);
      }
    }
  }

  /** The methods that exist for the path of a URL. */
  allowed(url: string): string[] {
    const [path = ''] = url.split('?');
    return [...this.methods].filter((method) => this.router.find(method, path) !== null).sort();
  }

  /**
   * Prevents the server from starting if a route has no declared access.
   * @param isDecided whether the route declares its access in a different way
   */
  requireDecisions(server: FastifyInstance, isDecided: (route: KnownRoute) => boolean = () => false): void {
    server.addHook('onReady', (done) => {
      const undecided = this.routes.filter((route) => route.access === null && !isDecided(route));
      done(undecided.length === 0 ? undefined : new Error(messageFor(undecided)));
    });
  }

  private accessOfLibrary(path: string): RawAccess | null {
    const isOfLibrary = this.libraries.some((each) => path === each || path.startsWith(`${each}/`));
    return isOfLibrary ? 'public' : null;
  }
}

const messageFor = (undecided: readonly KnownRoute[]): string =>
  [
    'These routes do not declare their access:',
    ...undecided.map(({ method, path }) => `${method} ${path}`),
    'Make each route a controller method with @Can, @SignedIn or @Public, or add it with addRoute from src/common/http/raw-routes.ts.',
  ].join('\n');
