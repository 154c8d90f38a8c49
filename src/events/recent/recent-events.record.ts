import { ApiExtraModels, ApiSchema, getSchemaPath } from '@nestjs/swagger';
import { MAX_LISTED, MAX_VISITOR_ID } from '../../common/limits';
import { formatMicros, formatOptionalMicros } from '../../common/time/clock';
import { Output } from '../../common/validation/fields';
import { Timestamp } from '../../common/validation/record-fields';
import { EXPOSURE } from '../exposure';
import type { RecentList } from './recent-events.service';
import { type Outcome, OUTCOMES } from './outcomes';
import type { RecentMessage } from './recent-message';
import { type Source, SOURCES } from './sending';

const TEXT = { type: 'string', nullable: true } as const;
const ID = { type: 'integer', minimum: 1, nullable: true } as const;

@ApiSchema({ description: 'A message, or a request that was refused before its messages were read.' })
export class RecentEvent {
  @Timestamp({ description: 'When the message or request was received.' })
  received_at: string;

  @Output({
    type: 'string',
    enum: [...OUTCOMES],
    description: 'The outcome. Only `accepted` messages are in the results.',
  })
  outcome: Outcome;

  @Output({
    ...TEXT,
    description:
      'Why the message was rejected, the request refused or the link not stored; `late` if an accepted event arrived more than 72 hours after it happened.',
  })
  reason: string | null;

  @Output({ type: 'string', enum: [...SOURCES], description: 'How the message reached the server.' })
  source: Source;

  @Output({ ...TEXT, description: 'Host of the page that sent the message; null for back ends.' })
  host: string | null;

  @Output({
    ...TEXT,
    maxLength: MAX_LISTED.type,
    description: 'Type of the message. Null if the request was refused.',
  })
  type: string | null;

  @Output({ ...TEXT, maxLength: MAX_LISTED.name, description: 'Name of the event.' })
  event: string | null;

  @Output({ ...TEXT, maxLength: MAX_VISITOR_ID, description: 'Id of the visitor.' })
  visitor_id: string | null;

  @Output({ ...TEXT, maxLength: MAX_LISTED.name, description: 'The experiment of an exposure, as sent.' })
  experiment: string | null;

  @Output({ ...TEXT, maxLength: MAX_LISTED.name, description: 'The variation of an exposure, as sent.' })
  variation: string | null;

  @Output({ ...ID, description: 'Id of the experiment; null if nothing was stored.' })
  experiment_id: number | null;

  @Output({ ...ID, description: 'Id of the variation; null if nothing was stored.' })
  variation_id: number | null;

  @Output({
    type: 'array',
    items: { type: 'integer', minimum: 1 },
    description:
      'The goals for which the event is a conversion. For a page view, only the first 10 are listed.',
  })
  goal_ids: readonly number[];

  @Output({ ...TEXT, maxLength: MAX_LISTED.value, description: 'The value, as sent.' })
  value: string | null;

  @Output({
    ...TEXT,
    maxLength: MAX_LISTED.detail,
    description: 'Error message from code on a page (if `type` is `error`).',
  })
  detail: string | null;

  @Timestamp({
    nullable: true,
    description: "Event time according to the server's clock; null if nothing was stored.",
  })
  occurred_at: string | null;
}

@ApiExtraModels(RecentEvent)
@ApiSchema({ description: 'The most recent messages of a project.' })
export class RecentEvents {
  @Timestamp({
    description:
      'Messages received before this time are unknown, because the server was started then or because the list is full.',
  })
  since: string;

  @Output({
    type: 'boolean',
    description:
      'Whether the list includes messages that other server processes received. The processes share the list through Redis.',
  })
  is_shared: boolean;

  @Output({
    type: 'array',
    items: { $ref: getSchemaPath(RecentEvent) },
    description:
      'The last 200 messages, newest first. With a filter, those of the last 200 messages that match it.',
  })
  messages: RecentEvent[];

  static readonly example: RecentEvents = {
    since: '2026-05-01T06:00:00.000000Z',
    is_shared: false,
    messages: [
      {
        received_at: '2026-05-01T09:30:02.125000Z',
        outcome: 'rejected',
        reason: 'unknown_event',
        source: 'batch',
        host: 'shop.example.com',
        type: 'track',
        event: 'order-plased',
        visitor_id: '018f3f5e-0000-7000-8000-000000000001',
        experiment: null,
        variation: null,
        experiment_id: null,
        variation_id: null,
        goal_ids: [],
        value: '49.9',
        detail: null,
        occurred_at: null,
      },
      {
        received_at: '2026-05-01T09:30:00.125000Z',
        outcome: 'accepted',
        reason: null,
        source: 'snippet',
        host: 'shop.example.com',
        type: 'track',
        event: EXPOSURE,
        visitor_id: '018f3f5e-0000-7000-8000-000000000001',
        experiment: '1001',
        variation: '5002',
        experiment_id: 1001,
        variation_id: 5002,
        goal_ids: [],
        value: null,
        detail: null,
        occurred_at: '2026-05-01T09:30:00.000000Z',
      },
    ],
  };
}

/** The list as the API returns it. */
export const toRecentEvents = ({ messages, since, isShared }: RecentList): RecentEvents => ({
  since: formatMicros(since),
  is_shared: isShared,
  messages: messages.map(toRecord),
});

const toRecord = (message: RecentMessage): RecentEvent => ({
  received_at: formatMicros(message.receivedAt),
  outcome: message.outcome,
  reason: message.reason,
  source: message.source,
  host: message.host,
  type: message.type,
  event: message.event,
  visitor_id: message.visitor,
  experiment: message.experiment,
  variation: message.variation,
  experiment_id: message.experimentId,
  variation_id: message.variationId,
  goal_ids: message.goalIds,
  value: message.value,
  detail: message.detail,
  occurred_at: formatOptionalMicros(message.occurredAt),
});
