import { ApiSchema, OmitType } from '@nestjs/swagger';
import { Unstored } from '../common/openapi/operation';
import { formatMicros } from '../common/time/clock';
import { FlagField, HttpAddressField, OneOfField } from '../common/validation/body-fields';
import { listOf, oneOf } from '../common/validation/checks';
import { Field, FieldCheck, Output } from '../common/validation/fields';
import { CreatedAt, Id, Name, NameField, UpdatedAt } from '../common/validation/record-fields';
import { Webhook, WEBHOOK_FORMATS } from './webhook.entity';
import { WEBHOOK_EVENTS, WebhookEvent } from './webhook-events';

/* Descriptions of fields, shared by requests and responses. */
const URL_TEXT =
  'The `https` URL that receives the messages. Its path may be secret, so the audit log records only the host.';
const EVENTS = 'The events that are sent.';
const FORMAT =
  '`json` sends the event, and `slack` sends a line of text for an incoming webhook of Slack or a compatible service.';
const IS_ACTIVE =
  'Whether messages are created and sent. While false, pending messages are kept, for up to 30 days. The server sets it to false if the receiver answers 410.';

@ApiSchema({ description: 'A URL that is notified about events in a project.' })
export class WebhookRecord {
  @Id()
  id: number;

  @Id('Id of the project.')
  project_id: number;

  @Name()
  name: string;

  @Output({ type: 'string', description: URL_TEXT })
  url: string;

  @Output({ type: 'array', items: { type: 'string', enum: [...WEBHOOK_EVENTS] }, description: EVENTS })
  events: WebhookEvent[];

  @Output({ type: 'string', enum: [...WEBHOOK_FORMATS], description: FORMAT })
  format: Webhook['format'];

  @Output({ type: 'boolean', description: IS_ACTIVE })
  is_active: boolean;

  @CreatedAt()
  created_at: string;

  @UpdatedAt()
  updated_at: string;

  static readonly example: WebhookRecord = {
    id: 1,
    project_id: 1,
    name: 'Release channel',
    url: 'https://hooks.example.com/gosset',
    events: ['experiment.started', 'experiment.verdict'],
    format: 'json',
    is_active: true,
    created_at: '2026-05-01T09:30:00.123000Z',
    updated_at: '2026-05-01T09:30:00.123000Z',
  };
}

@ApiSchema({ description: 'A webhook with its new secret.' })
export class SecretWebhookRecord extends WebhookRecord {
  @Output({
    type: 'string',
    nullable: true,
    description: `The secret that signs messages: \`whsec_\` followed by a key in base64. Store it where the receiver runs. It is shown only once, and is null in repeated responses.`,
  })
  secret: string | null;

  static override readonly example: SecretWebhookRecord = {
    ...WebhookRecord.example,
    secret: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDMNrJtqjF3TY=',
  };
}

@ApiSchema({ description: 'A webhook in a dry run, without a secret.' })
export class DryRunSecretWebhookRecord extends OmitType(SecretWebhookRecord, ['secret']) {
  @Unstored()
  secret: null;

  static readonly example = { ...WebhookRecord.example, secret: null };
}

@ApiSchema({ description: 'A new webhook in a dry run, without id and secret.' })
export class DryRunNewWebhookRecord extends OmitType(SecretWebhookRecord, ['id', 'secret']) {
  @Unstored()
  id: null;

  @Unstored()
  secret: null;

  static readonly example = { ...WebhookRecord.example, id: null, secret: null };
}

export function toWebhookRecord(row: Webhook): WebhookRecord {
  return {
    id: row.id,
    project_id: row.project_id,
    name: row.name,
    url: row.url,
    events: row.events,
    format: row.format,
    is_active: row.is_active,
    created_at: formatMicros(row.created_at),
    updated_at: formatMicros(row.updated_at),
  };
}

/**
 * The fields for the audit log. Only the host of the URL is included, because all members of the team can read the log.
 */
export function withoutPath<T extends object>(fields: T): T {
  const { url } = fields as { url?: string };
  return url === undefined ? fields : { ...fields, url: new URL(url).host };
}

const events: FieldCheck = (value, label) =>
  Array.isArray(value) && value.length === 0
    ? `The ${label} must have at least one entry.`
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

@ApiSchema({ description: 'Webhook fields that can be changed. Absent fields stay unchanged.' })
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

/** The empty request body for an action. */
@ApiSchema({ description: 'An empty object, or no body.' })
export class WebhookAction {
  static readonly example = {};
}
