import type { NestFastifyApplication } from '@nestjs/platform-fastify';

const LINE = /^(?<indent>[ │├└─]*)(?<path>\S+) \((?<methods>[A-Z, ]+)\)$/;
const INDENT = 4;

/** All routes, such as `GET /api/teams`, except HEAD routes, which exist for every GET route. */
export function routesOf(app: NestFastifyApplication): string[] {
  const server = app.getHttpAdapter().getInstance();
  const parents: string[] = [];
  return server
    .printRoutes({ commonPrefix: false })
    .split('\n')
    .filter((line) => line.trim() !== '')
    .flatMap((line) => {
      const { indent = '', path = '', methods = '' } = LINE.exec(line)?.groups ?? {};
      const depth = indent.length / INDENT - 1;
      const whole = (parents[depth - 1] ?? '') + path;
      parents.splice(depth, parents.length, whole);
      // The router omits the slash before a wildcard.
      const address = whole.replace(/(?<!\/)\*$/, '/*');
      return methods.split(', ').flatMap((method) => (method === 'HEAD' ? [] : `${method} ${address}`));
    });
}

const DELIVERY = / \/(?:v1|track|ofrep|s|sub|api\/features|api\/eval|api\/s)(?:\/|$)/;

/** The routes for browsers and back ends, which use a project's client key instead of a token. */
export function deliveryRoutesOf(app: NestFastifyApplication): string[] {
  return routesOf(app).filter((route) => DELIVERY.test(route));
}

/** Whether a path in the reference belongs to a delivery route. */
export const isDeliveryPath = (path: string): boolean => DELIVERY.test(` ${path}`);

/** The MCP endpoint, whose tools call the API. */
export const MCP_ROUTE = 'POST /mcp';

/** The routes of controllers: all except delivery, the reference and MCP. */
export function controllerRoutesOf(app: NestFastifyApplication): string[] {
  const others = [MCP_ROUTE, ...deliveryRoutesOf(app)];
  return routesOf(app).filter((route) => !/ \/docs(\/|\*|$)/.test(route) && !others.includes(route));
}
