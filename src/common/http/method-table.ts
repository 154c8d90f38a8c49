import type { HTTPMethod } from 'find-my-way';
import createRouter from 'find-my-way';

/** Which methods each path has: a path that is known, but not with the method of a request, is 405 and not 404. */
export class MethodTable {
  private readonly router = createRouter({ ignoreTrailingSlash: true, maxParamLength: 2_000 });
  private readonly methods = new Set<HTTPMethod>();

  /** Notes a route as it is added to the server. */
  add(method: string | string[], path: string): void {
    for (const name of [method].flat() as HTTPMethod[]) {
      if (!path.includes('*') && !this.router.hasRoute(name, path)) {
        this.router.on(name, path, () => undefined);
        this.methods.add(name);
      }
    }
  }

  /** The methods that the path of an address has. */
  allowed(url: string): string[] {
    const [path = ''] = url.split('?');
    return [...this.methods].filter((method) => this.router.find(method, path) !== null).sort();
  }
}
