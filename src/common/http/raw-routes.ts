import type {
  FastifyInstance,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
  RouteGenericInterface,
  RouteHandlerMethod,
} from 'fastify';
import { type KeyPlace, readClientKey } from './client-key';
import { untilTurnEnds } from './turn-end';

/**
 * Who can call a route that no controller serves: anyone, clients with a project's client key, or clients with an API
 * token.
 */
export type RawAccess = 'public' | 'client-key' | 'token';

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: RawAccess;
  }
}

/** A handler that sends the response itself, or returns the response or a promise of it. */
export type RawHandler<Route extends RouteGenericInterface = RouteGenericInterface> = RouteHandlerMethod<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  Route
>;

/** A route that no controller serves. */
export interface RawRoute<Route extends RouteGenericInterface> {
  method: 'GET' | 'POST' | 'OPTIONS';
  path: string;
  access: RawAccess;
  /** Location of the client key in a request, for the checks that are based on the key. */
  keyIn?: KeyPlace;
  /** Whether the handler waits until all requests of the same turn have been read; meant for expensive handlers. */
  waits?: boolean;
  handler: RawHandler<Route>;
}

/**
 * Waits for a response that the handler sends itself. If the handler's promise resolved to undefined while that
 * response waits for the responses to other requests (`turn-end.ts`), Fastify would send an empty response.
 */
function untilSent<Route extends RouteGenericInterface>(handler: RawHandler<Route>): RawHandler<Route> {
  return function answer(request, reply) {
    const answered: unknown = handler.call(this, request, reply);
    const whole =
      answered instanceof Promise
        ? answered.then((body: unknown) => (body === undefined ? reply : body))
        : answered;
    return whole as ReturnType<RawHandler<Route>>;
  };
}

const CHECKED = 'checkedAccess';

/** Declares that all requests in this scope go through the checks for an access level. The caller adds these checks. */
export function checksAccess(server: FastifyInstance, access: Exclude<RawAccess, 'public'>): void {
  server.decorate(CHECKED, access);
}

/**
 * Adds a route that no controller serves. All such routes must be added here, because the server does not start if a
 * route has no declared access.
 *
 * Delivery and collection do not use controllers, because the guards and interceptors of controllers, which serve the
 * management API, would take more CPU time than the response itself (docs/architecture.md).
 * @throws Error if no check in this scope enforces the declared access
 */
export function addRoute<Route extends RouteGenericInterface = RouteGenericInterface>(
  server: FastifyInstance,
  { method, path, access, keyIn, waits = false, handler }: RawRoute<Route>,
): void {
  const checked = server.hasDecorator(CHECKED) ? server.getDecorator<RawAccess>(CHECKED) : 'public';
  if (access !== 'public' && access !== checked) {
    throw new Error(
      `${method} ${path}: its access is declared as ${access}, but no check in this scope enforces it. Add the route where src/platform/pipeline.ts adds that check.`,
    );
  }
  const preValidation = keyIn === undefined ? [] : [readClientKey(keyIn)];
  const preHandler = waits ? [untilTurnEnds] : [];
  server.route<Route>({
    method,
    url: path,
    config: { access },
    preValidation,
    preHandler,
    handler: untilSent(handler),
  });
}
