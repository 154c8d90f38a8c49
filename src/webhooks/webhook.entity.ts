import { Entity, Index, JoinColumn, ManyToOne } from 'typeorm';
import type { Relation } from 'typeorm';
import type { Micros } from '../common/time/clock';
import {
  FlagColumn,
  LinesColumn,
  LockVersionColumn,
  IntegerColumn,
  MicrosColumn,
  TextColumn,
} from '../database/columns';
import { NamedRow } from '../database/named-rows';
import { Project } from '../projects/project.entity';
import type { WebhookEvent } from './webhook-events';

export const WEBHOOK_FORMATS = ['json', 'slack'] as const;

/** An address that is notified of events in a project. */
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

  /** `whsec_` and the key in base64. */
  @TextColumn(64)
  secret: string;

  /** Signs in addition to the current one until `previous_secret_until`. */
  @TextColumn(64, { nullable: true })
  previous_secret: string | null;

  @MicrosColumn({ nullable: true })
  previous_secret_until: Micros | null;

  @LockVersionColumn()
  lock_version: number;
}
