import { Entity, JoinColumn, OneToOne, PrimaryColumn } from 'typeorm';
import type { Relation } from 'typeorm';
import type { Micros } from '../common/time/clock';
import { IntegerColumn, LockVersionColumn, MicrosColumn } from '../database/columns';
import { Project } from '../projects/project.entity';

/** Snippet errors of a project that webhooks have not reported yet. */
@Entity('snippet_error_counts')
export class SnippetErrorCount {
  @PrimaryColumn({ type: 'integer' })
  project_id: number;

  @OneToOne(() => Project, { onDelete: 'CASCADE', onUpdate: 'NO ACTION' })
  @JoinColumn({ name: 'project_id', foreignKeyConstraintName: 'fk_snippet_error_counts_project' })
  project?: Relation<Project>;

  @IntegerColumn()
  untold: number;

  /** When the first of them was counted. */
  @MicrosColumn()
  since: Micros;

  /** 0 before the first report. */
  @MicrosColumn()
  told_at: Micros;

  @LockVersionColumn()
  lock_version: number;
}
