import { Entity, JoinColumn, OneToOne, PrimaryColumn } from 'typeorm';
import type { Relation } from 'typeorm';
import type { Micros } from '../../common/time/clock';
import { IntegerColumn, LockVersionColumn, MicrosColumn, TextColumn } from '../../database/columns';
import { Project } from '../../projects/project.entity';

/** How far the removal of a project's old events is. Every process goes on where the last step ended. */
@Entity('event_retention')
export class EventRetention {
  @PrimaryColumn({ type: 'integer' })
  project_id: number;

  @OneToOne(() => Project, { onDelete: 'CASCADE', onUpdate: 'NO ACTION' })
  @JoinColumn({ name: 'project_id', foreignKeyConstraintName: 'fk_event_retention_project' })
  project?: Relation<Project>;

  /** The setting when the pass began. */
  @IntegerColumn()
  days: number;

  /** When everything that had been stored was attributed; null if there is no pass. */
  @MicrosColumn({ nullable: true })
  attributed_at: Micros | null;

  /** The last visitor, in id order, whose events were looked through. */
  @TextColumn(65)
  visited_to: string;

  /** When the next pass begins. */
  @MicrosColumn()
  due_at: Micros;

  @LockVersionColumn()
  lock_version: number;
}
