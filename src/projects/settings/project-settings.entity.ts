import { Entity, JoinColumn, OneToOne, PrimaryColumn } from 'typeorm';
import type { Relation } from 'typeorm';
import type { Micros } from '../../common/time/clock';
import { FlagColumn, IntegerColumn, JsonColumn, LinesColumn, MicrosColumn } from '../../database/columns';
import { Project } from '../project.entity';
import type { PushTarget } from './push-targets';

/** Project settings that the project record does not contain. The row is created with the project. */
@Entity('project_settings')
export class ProjectSettings {
  /** The id of the project. */
  @PrimaryColumn({ type: 'integer' })
  id: number;

  @OneToOne(() => Project, { onDelete: 'CASCADE', onUpdate: 'NO ACTION' })
  @JoinColumn({ name: 'id', foreignKeyConstraintName: 'fk_project_settings_project' })
  project?: Relation<Project>;

  /** Version of the settings, incremented with each change. */
  @IntegerColumn()
  version: number;

  /** Null allows browsers on all sites to send events and request decisions. */
  @JsonColumn()
  allowed_origins: string[] | null;

  /** Null applies the server's limit. */
  @IntegerColumn({ nullable: true })
  events_per_minute: number | null;

  /** Null keeps data forever. */
  @IntegerColumn({ nullable: true })
  event_retention_days: number | null;

  @LinesColumn({ type: 'varchar', length: 255, default: '' })
  push_to: PushTarget[];

  @FlagColumn({ default: true })
  share_by_default: boolean;

  @MicrosColumn()
  created_at: Micros;

  @MicrosColumn()
  updated_at: Micros;
}
