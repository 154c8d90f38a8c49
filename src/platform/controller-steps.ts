import {
  type CallHandler,
  type CanActivate,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  type Provider,
  RequestMethod,
} from '@nestjs/common';
import { METHOD_METADATA } from '@nestjs/common/constants';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR } from '@nestjs/core';
import type { Observable } from 'rxjs';
import { AccessGuard } from './access/access.guard';
import { declarationOf, type RouteDeclaration } from './access/route-access';
import { ScopeResolver } from './access/scope-resolver';
import { SessionGuard } from '../account/session.guard';
import { RateLimitGuard } from './rate-limit/rate-limit.guard';
import { TokenGuard } from './authentication/token.guard';
import { ErrorFilter } from '../common/errors/error.filter';
import { ReadableBodyInterceptor } from '../common/http/json-body';
import { ConditionalInterceptor } from './conditional-requests/conditional-requests';
import {
  DryRunGuard,
  DryRunInterceptor,
  type IdempotentRequest,
  RequestOptionsInterceptor,
} from './idempotency/request-options';
import { IdempotencyInterceptor } from './idempotency/idempotency.interceptor';
import { hasIdempotencyKey } from './pipeline';

/*
 * The steps of controllers, in order: guards, then interceptors around the handler. For each request, only those steps
 * run that its route declares and whose condition the request meets.
 */

/** A controller's route. */
interface Route extends RouteDeclaration {
  /** Whether the method is GET or HEAD. */
  isRead: boolean;
}

/** Values that are created once per route, on the first request. */
class ByRoute<T> {
  private readonly made = new Map<object, Map<object, T>>();

  constructor(private readonly make: (route: Route) => T) {}

  of(context: ExecutionContext): T {
    const [controller, handler] = [context.getClass(), context.getHandler()];
    const ofController = this.made.get(controller) ?? new Map<object, T>();
    this.made.set(controller, ofController);
    const known = ofController.get(handler);
    if (known !== undefined) {
      return known;
    }
    const isRead = Reflect.getMetadata(METHOD_METADATA, handler) === RequestMethod.GET;
    const made = this.make({ ...declarationOf(controller, handler), isRead });
    ofController.set(handler, made);
    return made;
  }
}

/** Steps before the handler. The first step that fails determines the error. */
@Injectable()
class Guards implements CanActivate {
  private readonly guards = new ByRoute((route) => this.of(route));

  constructor(
    private readonly dryRuns: DryRunGuard,
    private readonly tokens: TokenGuard,
    private readonly rateLimit: RateLimitGuard,
    private readonly sessions: SessionGuard,
    private readonly scopes: ScopeResolver,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    for (const guard of this.guards.of(context)) {
      if (!(await guard.canActivate(context))) {
        return false;
      }
    }
    return true;
  }

  /** Authentication, rate limit, authorization. */
  private of(route: Route): readonly CanActivate[] {
    if (route.isPublic) {
      return [];
    }
    const access = new AccessGuard(this.scopes, route);
    if (route.needsSession) {
      return [this.sessions, access];
    }
    const marks = canWrite(route) ? [this.dryRuns] : [];
    return [...marks, this.tokens, this.rateLimit, access];
  }
}

/** Whether the route can write. Routes that accept read-only tokens never write, regardless of their method. */
const canWrite = ({ isRead, access }: Route): boolean =>
  !isRead && access !== null && access.ability !== 'read';

/** Steps around the handler, outermost first. */
@Injectable()
class Interceptors implements NestInterceptor {
  private readonly interceptors = new ByRoute((route) => this.of(route));

  constructor(
    private readonly idempotency: IdempotencyInterceptor,
    private readonly conditions: ConditionalInterceptor,
    private readonly bodies: ReadableBodyInterceptor,
    private readonly options: RequestOptionsInterceptor,
    private readonly dryRuns: DryRunInterceptor,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const steps = this.interceptors.of(context);
    const whole = steps.reduceRight<CallHandler>(
      (inner, step) => ({ handle: () => step.intercept(context, inner) }),
      next,
    );
    return whole.handle();
  }

  /**
   * Idempotency, conditional requests, body parsing, dry run. A stored response is returned after authorization, even
   * if records have changed since it was stored.
   */
  private of(route: Route): readonly Interceptor[] {
    const isOfApi = !route.isPublic && !route.needsSession;
    if (route.isRead) {
      return isOfApi ? [this.conditions] : [];
    }
    if (!isOfApi) {
      return [this.bodies];
    }
    const write = [this.conditions, this.bodies, this.options, onlyIf(isDryRun, this.dryRuns)];
    return [onlyIf(hasIdempotencyKey, this.idempotency), ...write];
  }
}

type Interceptor = { intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> };

const onlyIf = (applies: (request: IdempotentRequest) => boolean, step: Interceptor): Interceptor => ({
  intercept: (context, next) =>
    applies(context.switchToHttp().getRequest()) ? step.intercept(context, next) : next.handle(),
});

const isDryRun = ({ dryRun }: IdempotentRequest): boolean => dryRun === 'yes';

/** The steps for controllers, which serve the management API and the pages. */
export const CONTROLLER_STEPS: Provider[] = [
  ...[DryRunGuard, TokenGuard, RateLimitGuard, SessionGuard],
  ...[IdempotencyInterceptor, ConditionalInterceptor, ReadableBodyInterceptor],
  ...[RequestOptionsInterceptor, DryRunInterceptor],
  { provide: APP_GUARD, useClass: Guards },
  { provide: APP_INTERCEPTOR, useClass: Interceptors },
  { provide: APP_FILTER, useClass: ErrorFilter },
];
