import { CallHandler, CanActivate, ExecutionContext, Injectable, NestInterceptor } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyReply } from 'fastify';
import { from, lastValueFrom, Observable } from 'rxjs';
import { Rehearsed, Renewed, Shown, Untagged } from '../common/conditional-requests/answers';
import { ROUTE_ACCESS, RouteAccess } from '../access/route-access';
import { Database } from '../database/database';
import { readDryRun, IdempotentRequest } from './request-options';

/** The response of a dry run: without ETag, Location, and the ids of records that were not stored. */
function rehearsed(answer: unknown): unknown {
  if (answer instanceof Renewed || answer instanceof Untagged) {
    return new Rehearsed(answer.unstored());
  }
  return answer instanceof Shown ? new Rehearsed((answer as Shown<object>).kept) : answer;
}

/** Marks dry runs, so that all responses to them are marked, including errors of later guards. Rejects nothing. */
@Injectable()
export class DryRunGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<IdempotentRequest>();
    if (this.canWrite(context, request.method)) {
      request.dryRun = readDryRun(request.query);
    }
    if (request.dryRun === 'yes') {
      context.switchToHttp().getResponse<FastifyReply>().header('x-dry-run', 'true');
    }
    return true;
  }

  /** Routes outside of the API, and routes for read-only tokens, change nothing. */
  private canWrite(context: ExecutionContext, method: string): boolean {
    const access = this.reflector.get<RouteAccess | undefined>(ROUTE_ACCESS, context.getHandler());
    return access !== undefined && access.ability !== 'read' && !['GET', 'HEAD'].includes(method);
  }
}

/** Executes a dry run like any write, and rolls back all of its transactions. */
@Injectable()
export class DryRunInterceptor implements NestInterceptor {
  constructor(private readonly database: Database) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { dryRun } = context.switchToHttp().getRequest<IdempotentRequest>();
    return dryRun === 'yes' ? from(this.rehearse(next)) : next.handle();
  }

  private async rehearse(next: CallHandler): Promise<unknown> {
    return rehearsed(await this.database.rollingBack(() => lastValueFrom(next.handle())));
  }
}
