import { CanActivate, ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyReply } from 'fastify';
import { ROUTE_ACCESS, RouteAccess } from '../access/route-access';
import { readDryRun } from './dry-run';
import type { RetriedRequest } from './retried-request';

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
