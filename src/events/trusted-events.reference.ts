import { applyDecorators } from '@nestjs/common';
import { ApiBody, ApiQuery, ApiResponse } from '@nestjs/swagger';
import { named, STRICT } from '../common/openapi/client-key';
import { operation } from '../common/openapi/operation';
import { BODY_FAILURES, headersNamed, WRITE_FAILURES } from '../common/openapi/responses';
import { DRY_RUN, REPEATABLE } from '../common/openapi/safe-retries';
import { BATCH_EXAMPLE, RECEIPT_EXAMPLE } from './collection.reference';

const { writeKey: _, ...EXAMPLE } = BATCH_EXAMPLE;

const TEXT = {
  id: 'collectTrustedEvents',
  summary: 'Collect trusted events',
  description: `Collects events like \`POST /v1/batch\`, but with an API token instead of the client key. Conversions of
\`trusted_only\` goals are accepted here only. Events may be of any age; exposures must have happened while their
experiment was running. The limits of the project (\`events_per_minute\`, \`allowed_origins\`) do not apply; the rate
limit of the user does.

\`messageId\` makes retries safe, with or without an \`Idempotency-Key\`. The maximum body size is 1 MiB.`,
};

/** Reference of trusted events. */
export const TrustedEventsOperation = (): MethodDecorator =>
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
