import { ApiSchema, OmitType } from '@nestjs/swagger';
import { formatMicros, formatOptionalMicros } from '../common/time/clock';
import { Unstored } from '../common/openapi/operation';
import { Output } from '../common/validation/fields';
import { CreatedAt, Id, Timestamp } from '../common/validation/record-fields';
import { TEST_EVENT } from './outbox';
import { DELIVERY_STATUSES, WebhookDelivery } from './webhook.entity';
import { WEBHOOK_EVENTS } from './webhook-events';

@ApiSchema({ description: 'A webhook message and its delivery status.' })
export class WebhookDeliveryRecord {
  @Id('Ids increase in the order in which the messages were written.')
  id: number;

  @Id('Id of the webhook.')
  webhook_id: number;

  @Output({
    type: 'string',
    description:
      'The header `webhook-id`: the same for each attempt, so that receivers can recognise repeated messages.',
  })
  message_id: string;

  @Output({ type: 'string', enum: [...WEBHOOK_EVENTS, TEST_EVENT], description: 'The event.' })
  type: string;

  @Output({
    type: 'object',
    additionalProperties: true,
    description: 'The message in `json` format: `type`, `timestamp` and `data`.',
  })
  payload: Record<string, unknown>;

  @Output({
    type: 'string',
    enum: [...DELIVERY_STATUSES],
    description: '`pending` until the message is `delivered`, or `dead` after the last failed attempt.',
  })
  status: WebhookDelivery['status'];

  @Output({
    type: 'integer',
    minimum: 0,
    description: 'Number of attempts so far, since the last manual retry if there was one.',
  })
  tries: number;

  @Output({
    type: 'integer',
    nullable: true,
    description: 'HTTP status of the last response; null if there was none.',
  })
  response_status: number | null;

  @Output({
    type: 'string',
    nullable: true,
    description:
      'Why the last attempt failed; null after a successful delivery and before the first attempt.',
  })
  error: string | null;

  @CreatedAt()
  created_at: string;

  @Timestamp({
    nullable: true,
    description: 'Earliest time of the next attempt; null if the message is no longer pending.',
  })
  next_try_at: string | null;

  @Timestamp({ nullable: true, description: 'Time of delivery; null if not delivered.' })
  delivered_at: string | null;

  static readonly example: WebhookDeliveryRecord = {
    id: 1,
    webhook_id: 1,
    message_id: 'msg_5f0f6a3c1d2e4b7f9a8b7c6d5e4f3a2b',
    type: 'experiment.started',
    payload: {
      type: 'experiment.started',
      timestamp: '2026-05-01T09:30:00.123000Z',
      data: {
        project_id: 1,
        experiment: { id: 1001, name: 'Green buy button', api_name: 'green-buy-button' },
        status: 'running',
        previous_status: 'draft',
      },
    },
    status: 'pending',
    tries: 1,
    response_status: 503,
    error: 'The receiver responded with status 503.',
    created_at: '2026-05-01T09:30:00.123000Z',
    next_try_at: '2026-05-01T09:30:05.415000Z',
    delivered_at: null,
  };
}

@ApiSchema({ description: 'A new message in a dry run, without its ids.' })
export class DryRunWebhookDeliveryRecord extends OmitType(WebhookDeliveryRecord, ['id', 'message_id']) {
  @Unstored()
  id: null;

  @Unstored()
  message_id: null;

  static readonly example = { ...WebhookDeliveryRecord.example, id: null, message_id: null };
}

export function toDeliveryRecord(row: WebhookDelivery): WebhookDeliveryRecord {
  return {
    id: row.id,
    webhook_id: row.webhook_id,
    message_id: row.message_id,
    type: row.type,
    payload: JSON.parse(row.body) as Record<string, unknown>,
    status: row.status,
    tries: row.tries,
    response_status: row.response_status,
    error: row.error,
    created_at: formatMicros(row.created_at),
    next_try_at: row.status === 'pending' ? formatMicros(row.next_try_at) : null,
    delivered_at: formatOptionalMicros(row.delivered_at),
  };
}
