import { ApiSchema } from '@nestjs/swagger';
import { FlagField, HttpAddressField, OneOfField } from '../common/validation/body-fields';
import { listOf, oneOf } from '../common/validation/checks';
import { Field, FieldCheck } from '../common/validation/fields';
import { NameField } from '../common/validation/record-fields';
import { WEBHOOK_FORMATS, Webhook } from './webhook.entity';
import { EVENTS, FORMAT, IS_ACTIVE, URL_TEXT } from './webhook.record';
import { WEBHOOK_EVENTS, WebhookEvent } from './webhook-events';

const events: FieldCheck = (value, label) =>
  Array.isArray(value) && value.length === 0
    ? `The ${label} must have one entry at least.`
    : listOf(oneOf(WEBHOOK_EVENTS), 'event', WEBHOOK_EVENTS.length, (entry) => entry)(value, label);

const EventsField = ({ required = false } = {}): PropertyDecorator =>
  Field(
    events,
    {
      type: 'array',
      items: { type: 'string', enum: [...WEBHOOK_EVENTS] },
      minItems: 1,
      maxItems: WEBHOOK_EVENTS.length,
      description: EVENTS,
    },
    { required },
  );

@ApiSchema({ description: 'The fields of a webhook that may be changed. Absent fields stay unchanged.' })
export class UpdateWebhook {
  @NameField()
  name?: string;

  @HttpAddressField({ description: URL_TEXT })
  url?: string;

  @EventsField()
  events?: WebhookEvent[];

  @OneOfField(WEBHOOK_FORMATS, { default: 'json', description: FORMAT })
  format?: Webhook['format'];

  @FlagField({ default: true, description: IS_ACTIVE })
  is_active?: boolean;

  static readonly example: object = { is_active: false };
}

@ApiSchema({ description: 'A new webhook. Name, address and events are required.' })
export class CreateWebhook extends UpdateWebhook {
  @NameField({ required: true })
  declare name: string;

  @HttpAddressField({ required: true, description: URL_TEXT })
  declare url: string;

  @EventsField({ required: true })
  declare events: WebhookEvent[];

  static override readonly example = {
    name: 'Release channel',
    url: 'https://hooks.example.com/gosset',
    events: ['experiment.started', 'experiment.verdict'],
  };
}

/** The empty body of an action. */
@ApiSchema({ description: 'An empty object, or no body.' })
export class WebhookAction {
  static readonly example = {};
}
