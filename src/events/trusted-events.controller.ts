import { Body, Controller, Headers, HttpCode, Post, Query, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Can, InProject } from '../platform/access/route-access';
import { InScope, ProjectScope } from '../platform/access/scope';
import { ValidationError } from '../common/errors/api-errors';
import { readSwitch } from '../common/http/query-switch';
import { nowMicros } from '../common/time/clock';
import { Failures } from '../common/validation/failures';
import { isObject } from '../common/validation/values';
import type { IdempotentRequest } from '../platform/idempotency/request-options';
import { EventCounters } from './event-counters';
import { Batch, isBatch } from './messages';
import { receiptAnswer } from './receipt';
import { RecentMessages } from './recent/recent-messages';
import type { Sending } from './recent/sending';
import { TrustedEventsOperation } from './trusted-events.reference';
import { TrustedEventsService } from './trusted-events.service';

@ApiTags('Collection')
@Controller('projects/:project/events')
@InProject({ collection: 'record', items: [] })
export class TrustedEventsController {
  constructor(
    private readonly events: TrustedEventsService,
    private readonly counters: EventCounters,
    private readonly recent: RecentMessages,
  ) {}

  @Post()
  @HttpCode(200)
  @Can('events:write')
  @TrustedEventsOperation()
  async collect(
    @InScope() { projectId }: ProjectScope,
    @Body() body: unknown,
    @Query() query: Record<string, unknown>,
    @Headers('user-agent') userAgent: string | undefined,
    @Req() { dryRun }: IdempotentRequest,
  ): Promise<object> {
    const receivedAt = nowMicros();
    const failures = new Failures();
    const isStrict = readSwitch(query, 'strict', failures);
    const batch = readBatch(body, failures);
    const { outcomes, receipt, answer } = await this.events.collect(
      projectId,
      batch,
      userAgent ?? '',
      (given) => receiptAnswer(given, batch.batch, isStrict),
    );
    if (dryRun !== 'yes') {
      this.counters.count(receipt);
      const resolved = { receivedAt, messages: batch.batch, outcomes, isStored: true };
      this.recent.noteResolved(projectId, { sending: fromBackEnd(), ...resolved });
    }
    return answer;
  }
}

const fromBackEnd = (): Sending => ({ source: 'trusted', host: null, origin: null, isListed: false });

/** @throws ValidationError of these failures and those of the body */
function readBatch(body: unknown, failures: Failures): Batch {
  if (isBatch(body)) {
    failures.throwIfAny();
    return body;
  }
  if (isObject(body)) {
    failures.add('batch', 'The batch must be a list of messages.');
  } else {
    failures.add('body', 'The body must be a JSON object.');
  }
  throw new ValidationError(failures.all);
}
