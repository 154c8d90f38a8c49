import { CallHandler, ExecutionContext, Injectable, NestInterceptor } from '@nestjs/common';
import { from, lastValueFrom, Observable } from 'rxjs';
import { Rehearsed, Renewed, Shown, Untagged } from '../../common/http/answers';
import { Database } from '../../database/database';

/** The response of a dry run: without ETag, Location, and the ids of records that were not stored. */
function rehearsed(answer: unknown): unknown {
  if (answer instanceof Renewed || answer instanceof Untagged) {
    return new Rehearsed(answer.unstored());
  }
  return answer instanceof Shown ? new Rehearsed((answer as Shown<object>).kept) : answer;
}

/** Executes a dry run like any write, and rolls back all of its transactions. */
@Injectable()
export class DryRunInterceptor implements NestInterceptor {
  constructor(private readonly database: Database) {}

  intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return from(this.rehearse(next));
  }

  private async rehearse(next: CallHandler): Promise<unknown> {
    return rehearsed(await this.database.rollingBack(() => lastValueFrom(next.handle())));
  }
}
