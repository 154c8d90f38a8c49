import { Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import type { Relation } from 'typeorm';
import type { Micros } from '../../common/time/clock';
import { MicrosColumn } from '../../database/columns';
import { Project } from '../../projects/project.entity';

/** An id of a visitor that was deleted, as a hash. Until it expires, messages with this id are rejected. */
@Entity('deleted_visitors', { withoutRowid: true })
@Index('ix_deleted_visitors_expiry', ['expires_at'])
export class DeletedVisitor {
  @PrimaryColumn({ type: 'integer' })
  project_id: number;

  @ManyToOne(() => Project, { onDelete: 'CASCADE', onUpdate: 'NO ACTION' })
  @JoinColumn({ name: 'project_id', foreignKeyConstraintName: 'fk_deleted_visitors_project' })
  project?: Relation<Project>;

  @PrimaryColumn({ type: 'varchar', length: 64 })
  visitor_hash: string;

  @MicrosColumn()
  expires_at: Micros;
}
