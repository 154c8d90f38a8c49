import { Entity, Index, JoinColumn, ManyToOne, type Relation } from 'typeorm';
import type { Micros } from '../common/time/clock';
import {
  FlagColumn,
  IdColumn,
  IntegerColumn,
  LinesColumn,
  LockVersionColumn,
  MediumTextColumn,
  MicrosColumn,
  TextColumn,
} from '../database/columns';
import { NamedRow } from '../database/named-rows';
import { Project } from '../projects/project.entity';
import type { WebhookEvent } from './webhook-events';

export const WEBHOOK_FORMATS = ['json', 'slack'] as const;

/** A URL that is notified of events in a project. */
@Entity('webhooks')
@Index('ix_webhooks_name_key', ['project_id', 'name_key'])
export class Webhook extends NamedRow {
  @IntegerColumn()
  project_id: number;

  @ManyToOne(() => Project, { onDelete: 'CASCADE', onUpdate: 'NO ACTION' })
  @JoinColumn({ name: 'project_id', foreignKeyConstraintName: 'fk_webhooks_project' })
  project?: Relation<Project>;

  @TextColumn(2_048)
  url: string;

  @LinesColumn()
  events: WebhookEvent[];

  @TextColumn(16)
  format: (typeof WEBHOOK_FORMATS)[number];

  @FlagColumn()
  is_active: boolean;

  /** `whsec_` followed by the base64 key. */
  @TextColumn(64)
  secret: string;

  /** Also signs messages, together with the current secret, until `previous_secret_until`. */
  @TextColumn(64, { nullable: true })
  previous_secret: string | null;

  @MicrosColumn({ nullable: true })
  previous_secret_until: Micros | null;

  @LockVersionColumn()
  lock_version: number;
}

export const DELIVERY_STATUSES = ['pending', 'delivered', 'dead'] as const;

/**
 * An event for one webhook, in the outbox or in the webhook's history. The ids of a webhook's deliveries ascend in
 * commit order, because the webhook is locked first.
 */
@Entity('webhook_deliveries')
@Index('ix_webhook_deliveries_due', ['status', 'next_try_at'])
@Index('ix_webhook_deliveries_lane', ['webhook_id', 'lane', 'status', 'id'])
@Index('ix_webhook_deliveries_created_at', ['created_at'])
export class WebhookDelivery {
  @IdColumn()
  id: number;

  @IntegerColumn()
  webhook_id: number;

  @ManyToOne(() => Webhook, { onDelete: 'CASCADE', onUpdate: 'NO ACTION' })
  @JoinColumn({ name: 'webhook_id', foreignKeyConstraintName: 'fk_webhook_deliveries_webhook' })
  webhook?: Relation<Webhook>;

  /** The id of the experiment, `PROJECT_LANE` or `TEST_LANE`. Deliveries in the same lane are sent in order. */
  @IntegerColumn()
  lane: number;

  /** The `webhook-id` header, which is the same for every webhook that reports the event. */
  @TextColumn(64)
  message_id: string;

  @TextColumn(64)
  type: string;

  /** The body as JSON, with the same bytes in each attempt. */
  @MediumTextColumn()
  body: string;

  @TextColumn(16)
  status: (typeof DELIVERY_STATUSES)[number];

  /** The number of finished attempts since the delivery was written or since a user last retried it. */
  @IntegerColumn()
  tries: number;

  /** While a process is sending the delivery, the time from which a different process may send it. */
  @MicrosColumn()
  next_try_at: Micros;

  /** HTTP status of the last response; null if there was none. */
  @IntegerColumn({ nullable: true })
  response_status: number | null;

  /** Why the last attempt failed; null after a success. */
  @TextColumn(255, { nullable: true })
  error: string | null;

  @MicrosColumn()
  created_at: Micros;

  @MicrosColumn({ nullable: true })
  delivered_at: Micros | null;

  /** Counts the claims, so that a slow process does not overwrite the outcome that the next process has stored. */
  @LockVersionColumn()
  lock_version: number;
}

export const PROJECT_LANE = 0;
/** The lane for tests, which do not wait for other deliveries. */
export const TEST_LANE = -1;
