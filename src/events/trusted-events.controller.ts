import { applyDecorators, Body, Controller, Headers, HttpCode, Post, Query, Req } from '@nestjs/common';
import { ApiBody, ApiQuery, ApiResponse, ApiTags } from '@nestjs/swagger';
import { named, STRICT } from '../common/openapi/client-key';
import { operation, DRY_RUN, REPEATABLE } from '../common/openapi/operation';
import { BODY_FAILURES, headersNamed, WRITE_FAILURES } from '../common/openapi/responses';
import { Can, InProject } from '../platform/access/route-access';
import { InScope, ProjectScope } from '../platform/access/scope';
import { ValidationError } from '../common/errors/api-errors';
import { readSwitch } from '../common/http/query-switch';
import { nowMicros } from '../common/time/clock';
import { Failures } from '../common/validation/failures';
import { isObject } from '../common/validation/values';
import type { IdempotentRequest } from '../platform/idempotency/request-options';
import { BATCH_EXAMPLE, RECEIPT_EXAMPLE } from './collection.reference';
import { EventCounters } from './event-metrics';
import { Batch, isBatch } from './messages';
import { receiptAnswer } from './message-outcome';
import { RecentMessages } from './recent/recent-messages';
import { withoutPage } from './recent/sending';
import { TrustedEventsService } from './trusted-events.service';

const { writeKey: _, ...EXAMPLE } = BATCH_EXAMPLE;

const TEXT = {
  id: 'collectTrustedEvents',
  summary: 'Collect trusted events',
  description: `Collects events like \`POST /v1/batch\`, but with an API token instead of the client key. Conversions of
\`trusted_only\` goals are accepted only here. Events may be of any age, but exposures must have happened while their
experiment was running. The project's limits (\`events_per_minute\`, \`allowed_origins\`) do not apply; the user's
rate limit does.

\`messageId\` makes retries safe, with or without an \`Idempotency-Key\`. It identifies one event of one visitor, across all
goals and types. If an order is a conversion for several goals, send a different \`messageId\` for each, such as
\`order-501-purchased\`. The maximum body size is 1 MiB.`,
};

/** API reference for trusted events. */
const TrustedEventsOperation = (): MethodDecorator =>
  operation(
    TEXT,
    [],
    [
      ...BODY_FAILURES,
      applyDecorators(
        ApiBody({
          required: true,
          schema: named('EventBatch'),
          examples: { example: { value: EXAMPLE } },
        }),
        ApiResponse({
          status: 200,
          description: 'All accepted messages are stored.',
          headers: headersNamed(['X-Dry-Run', 'Idempotency-Replayed']),
          content: { 'application/json': { schema: named('Receipt'), example: RECEIPT_EXAMPLE } },
        }),
        ApiQuery(STRICT),
        ...REPEATABLE,
        DRY_RUN,
        ...WRITE_FAILURES,
      ),
    ],
  );

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
    const { outcomes, ignoredLinks, receipt, answer } = await this.events.collect(
      projectId,
      batch,
      userAgent ?? '',
      (given) => receiptAnswer(given, batch.batch, isStrict),
    );
    if (dryRun !== 'yes') {
      this.counters.count(receipt);
      this.counters.ignoreLinks(ignoredLinks);
      const resolved = { receivedAt, messages: batch.batch, outcomes, isStored: true };
      this.recent.noteResolved(projectId, { sending: withoutPage('trusted'), ...resolved });
    }
    return answer;
  }
}

/** @throws ValidationError with these failures and the body's failures */
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
