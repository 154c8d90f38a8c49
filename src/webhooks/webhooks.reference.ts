import { ApiQuery } from '@nestjs/swagger';
import { DEFAULT_PER_PAGE, MAX_PER_PAGE } from '../common/lists/list-query';
import { operation, type OperationText, ifMatch, withBody } from '../common/openapi/operation';
import { PagedList } from '../common/openapi/paged-list';
import { answer, INVALID, MISSING, WRITE_FAILURES } from '../common/openapi/responses';
import { DRY_RUN, REPEATABLE } from '../common/openapi/safe-retries';
import { DryRunWebhookDeliveryRecord, WebhookDeliveryRecord } from './delivery.record';
import { WebhookAction } from './webhook.record';
import { DELIVERY_STATUSES } from './webhook.entity';

export const ROTATE_TEXT: OperationText = {
  id: 'rotateWebhookSecret',
  summary: 'Rotate the secret of a webhook',
  description: `Replaces the secret, and returns the new one, which no other response shows. For 24 hours messages have
two signatures, with the new and with the previous secret, so that receivers can change theirs without losing messages.
Another rotation within that time revokes the oldest secret.`,
};

export const TEST_TEXT: OperationText = {
  id: 'testWebhook',
  summary: 'Send a test message',
  description: `Writes a message of the type \`webhook.test\`, which is sent within seconds, even if the webhook is off. It is attempted once. The list of deliveries shows the outcome.`,
};

export const RETRY_TEXT: OperationText = {
  id: 'retryWebhookDelivery',
  summary: 'Retry a dead delivery',
  description: `Makes a dead delivery pending again, with all its retries. Rejected with 422 if it is not dead.
\`If-Match\` refers to the webhook.`,
};

const LIST = `Returns the messages of a webhook, newest first, for 30 days. The response always has pages: without \`page\`
it is the first one.`;

/** Reference of the list of deliveries. */
export const DeliveryListOperation = (): MethodDecorator =>
  operation(
    { id: 'listWebhookDeliveries', summary: 'List the deliveries of a webhook', description: LIST },
    [],
    [
      ApiQuery({
        name: 'status',
        required: false,
        description: 'Only deliveries with this status.',
        schema: { type: 'string', enum: [...DELIVERY_STATUSES] },
        example: 'dead',
      }),
      PagedList(WebhookDeliveryRecord, {
        plural: 'Deliveries',
        max: MAX_PER_PAGE,
        default: DEFAULT_PER_PAGE,
      }),
      MISSING,
      INVALID,
    ],
  );

/** POST of an action whose response is a delivery. */
export const DeliveryOperation = (text: OperationText): MethodDecorator =>
  operation(
    text,
    [],
    [
      ...withBody(WebhookAction, WebhookAction.example, false),
      answer(
        200,
        'The delivery.',
        [WebhookDeliveryRecord, DryRunWebhookDeliveryRecord],
        ['X-Dry-Run', 'Idempotency-Replayed'],
      ),
      ifMatch('the webhook'),
      ...REPEATABLE,
      DRY_RUN,
      ...WRITE_FAILURES,
    ],
  );
