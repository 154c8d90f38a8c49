import { CallHandler, ExecutionContext, Injectable, NestInterceptor } from '@nestjs/common';
import { from, lastValueFrom, Observable } from 'rxjs';
import { Database, Ending } from '../database/database';
import { rehearsed } from './dry-run';
import type { RetriedRequest } from './retried-request';

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
