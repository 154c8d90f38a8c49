import { Column, Entity, JoinColumn, ManyToOne } from 'typeorm';
import type { Relation } from 'typeorm';
import type { Micros } from '../../common/time/clock';
import { IdColumn, IntegerColumn, MicrosColumn, TextColumn } from '../../database/columns';
import { Project } from '../../projects/project.entity';

/** Events to be deleted from ClickHouse. Until they are, every statement there excludes them. */
@Entity('event_removals')
export class PendingRemoval {
  @IdColumn()
  id: number;

  @IntegerColumn()
  project_id: number;

  @ManyToOne(() => Project, { onDelete: 'CASCADE', onUpdate: 'NO ACTION' })
  @JoinColumn({ name: 'project_id', foreignKeyConstraintName: 'fk_event_removals_project' })
  project?: Relation<Project>;

  /** Only events of this id; null for all visitors. */
  @TextColumn(65, { nullable: true })
  visitor_id: string | null;

  /** Only events before this time; null for all. */
  @MicrosColumn({ nullable: true })
  happened_before: Micros | null;

  /** Events of later batches are kept. */
  @Column({ type: 'bigint' })
  up_to_batch: number;

  @MicrosColumn()
  requested_at: Micros;
}
