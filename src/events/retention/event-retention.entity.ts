import { Entity, JoinColumn, OneToOne, PrimaryColumn } from 'typeorm';
import type { Relation } from 'typeorm';
import type { Micros } from '../../common/time/clock';
import { IntegerColumn, LockVersionColumn, MicrosColumn, TextColumn } from '../../database/columns';
import { Project } from '../../projects/project.entity';

/** Progress of the removal of a project's old events. Each process continues where the last step ended. */
@Entity('event_retention')
export class EventRetention {
  @PrimaryColumn({ type: 'integer' })
  project_id: number;

  @OneToOne(() => Project, { onDelete: 'CASCADE', onUpdate: 'NO ACTION' })
  @JoinColumn({ name: 'project_id', foreignKeyConstraintName: 'fk_event_retention_project' })
  project?: Relation<Project>;

  /** The retention setting at the start of the pass. */
  @IntegerColumn()
  days: number;

  /** When all events stored until then had been attributed; null if there is no pass. */
  @MicrosColumn({ nullable: true })
  attributed_at: Micros | null;

  /** The last visitor, in id order, whose events were checked. */
  @TextColumn(65)
  visited_to: string;

  /** When the next pass begins. */
  @MicrosColumn()
  due_at: Micros;

  @LockVersionColumn()
  lock_version: number;
}
