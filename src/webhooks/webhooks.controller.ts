import { Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiQuery, ApiTags } from '@nestjs/swagger';
import {
  ifMatch,
  operation,
  type OperationText,
  PagedList,
  withBody,
  DRY_RUN,
  REPEATABLE,
} from '../common/openapi/operation';
import { answer, INVALID, MISSING, WRITE_FAILURES } from '../common/openapi/responses';
import { Can, InProject } from '../platform/access/route-access';
import { InScope, ProjectScope } from '../platform/access/scope';
import type { Listed, Renewed, Untagged } from '../common/http/answers';
import { DEFAULT_PER_PAGE, MAX_PER_PAGE, type RawQuery } from '../common/lists/list-query';
import { ActionOperation } from '../common/openapi/operations';
import { Submission, Submitted } from '../common/validation/submission';
import { ResourceController } from '../projects/resources/resource-controller';
import { DryRunWebhookDeliveryRecord, WebhookDeliveryRecord } from './delivery.record';
import { deliveryPath } from './delivery.store';
import { DELIVERY_STATUSES } from './webhook.entity';
import { DryRunSecretWebhookRecord, SecretWebhookRecord, WebhookAction } from './webhook.record';
import { WEBHOOKS } from './webhook-kind';
import { WebhooksService } from './webhooks.service';

const ROTATE_TEXT: OperationText = {
  id: 'rotateWebhookSecret',
  summary: 'Rotate the secret of a webhook',
  description: `Replaces the secret and returns the new one, which is shown only in this response. For 24 hours, messages
have two signatures, one with the new and one with the previous secret, so that receivers can switch without losing messages.
Another rotation within that time revokes the oldest secret.`,
};

const TEST_TEXT: OperationText = {
  id: 'testWebhook',
  summary: 'Send a test message',
  description: `Writes a message of type \`webhook.test\`, which is sent within seconds, even if the webhook is off. Delivery is attempted only once. The delivery list shows the outcome.`,
};

const RETRY_TEXT: OperationText = {
  id: 'retryWebhookDelivery',
  summary: 'Retry a dead delivery',
  description: `Makes a dead delivery pending again, with the full number of retries. If the webhook is off, the message is sent
once the webhook is turned on. Test messages are sent even if it is off, and only once. Rejected with 422 if the delivery is not dead.
\`If-Match\` refers to the webhook.`,
};

const LIST = `Returns the messages of a webhook from the last 30 days, newest first. The response is always paginated; without
\`page\`, it is the first page.`;

/** Reference for the delivery list. */
const DeliveryListOperation = (): MethodDecorator =>
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

/** Reference for the POST request of an action whose response is a delivery. */
const DeliveryOperation = (text: OperationText): MethodDecorator =>
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

export class WebhooksController extends ResourceController(WEBHOOKS) {}

/**
 * Actions on a webhook. They are in a separate class, because inherited routes come after a class's own routes, and the
 * reference should list the standard routes first.
 */
@ApiTags('Webhooks')
@Controller('projects/:project/webhooks/:webhook')
@InProject({ collection: 'webhooks', items: [WEBHOOKS.pathItem] })
export class WebhookActionsController {
  constructor(private readonly webhooks: WebhooksService) {}

  @Post('rotate')
  @HttpCode(200)
  @Can('project:settings')
  @ActionOperation(SecretWebhookRecord, WebhookAction, ROTATE_TEXT, { dryRun: DryRunSecretWebhookRecord })
  rotate(
    @InScope() scope: ProjectScope,
    @Submitted(WebhookAction) submission: Submission<WebhookAction>,
  ): Promise<Renewed<SecretWebhookRecord>> {
    return this.webhooks.rotate(scope, submission);
  }

  @Post('test')
  @HttpCode(200)
  @Can('project:settings')
  @DeliveryOperation(TEST_TEXT)
  test(
    @InScope() scope: ProjectScope,
    @Submitted(WebhookAction) submission: Submission<WebhookAction>,
  ): Promise<Untagged<WebhookDeliveryRecord>> {
    return this.webhooks.test(scope, submission);
  }
}

/** The messages of a webhook. */
@ApiTags('Webhooks')
@Controller('projects/:project/webhooks/:webhook/deliveries')
@InProject({ collection: 'webhooks', items: [WEBHOOKS.pathItem, deliveryPath], isLive: true })
export class WebhookDeliveriesController {
  constructor(private readonly webhooks: WebhooksService) {}

  @Get()
  @Can('project:settings')
  @DeliveryListOperation()
  list(
    @InScope() { target }: ProjectScope,
    @Query() query: RawQuery,
  ): Promise<Listed<WebhookDeliveryRecord>> {
    return this.webhooks.listDeliveries(target.id, query);
  }

  @Post(':delivery/retry')
  @HttpCode(200)
  @Can('project:settings')
  @DeliveryOperation(RETRY_TEXT)
  retry(
    @InScope() scope: ProjectScope,
    @Submitted(WebhookAction) submission: Submission<WebhookAction>,
  ): Promise<Untagged<WebhookDeliveryRecord>> {
    return this.webhooks.retry(scope, submission);
  }
}
