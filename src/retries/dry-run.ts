import { CallHandler, CanActivate, ExecutionContext, Injectable, NestInterceptor } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyReply } from 'fastify';
import { from, lastValueFrom, Observable } from 'rxjs';
import { Created, Rehearsed, Shown } from '../common/freshness/answers';
import { ROUTE_ACCESS, RouteAccess } from '../access/route-access';
import { Database, Ending } from '../database/database';
import { readDryRun, RetriedRequest } from './retry-options';

/** What a dry run answers instead: neither an ETag nor an address, and no id of what was not stored. */
function rehearsed(answer: unknown): unknown {
  if (answer instanceof Created) {
    return new Rehearsed(answer.unstored());
  }
  return answer instanceof Shown ? new Rehearsed((answer as Shown<{ id: number }>).record) : answer;
}

/** Marks dry runs, so that every answer to one says so, refusals by later guards included. Lets everybody pass. */
@Injectable()
export class DryRunGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<RetriedRequest>();
    if (this.canWrite(context, request.method)) {
      request.dryRun = readDryRun(request.query);
    }
    if (request.dryRun === 'yes') {
      context.switchToHttp().getResponse<FastifyReply>().header('x-dry-run', 'true');
    }
    return true;
  }

  /** Routes outside of the API, and those that a token may use which only reads, change nothing. */
  private canWrite(context: ExecutionContext, method: string): boolean {
    const access = this.reflector.get<RouteAccess | undefined>(ROUTE_ACCESS, context.getHandler());
    return access !== undefined && access.ability !== 'read' && !['GET', 'HEAD'].includes(method);
  }
}

const takeBack: Ending = () => Promise.resolve('rollback');

/** Does a write that is a dry run with everything that belongs to it, and takes every transaction of it back. */
@Injectable()
export class DryRunInterceptor implements NestInterceptor {
  constructor(private readonly database: Database) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { dryRun } = context.switchToHttp().getRequest<RetriedRequest>();
    return dryRun === 'yes' ? from(this.rehearse(next)) : next.handle();
  }

  private async rehearse(next: CallHandler): Promise<unknown> {
    return rehearsed(await this.database.endingWith(takeBack, () => lastValueFrom(next.handle())));
  }
}
