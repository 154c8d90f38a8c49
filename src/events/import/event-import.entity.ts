import { Column, Entity, Index, JoinColumn, ManyToOne } from 'typeorm';
import type { Relation } from 'typeorm';
import type { Micros } from '../../common/time/clock';
import { IdColumn, IntegerColumn, JsonColumn, MicrosColumn } from '../../database/columns';
import { Project } from '../../projects/project.entity';
import type { IgnoredLinks, Rejections } from './import-report';

/** Progress of a file import into a project, updated in the transaction that stores its events. */
@Entity('event_imports')
@Index('uq_event_imports_file', ['project_id', 'fingerprint'], { unique: true })
export class EventImport {
  @IdColumn()
  id: number;

  @IntegerColumn()
  project_id: number;

  @ManyToOne(() => Project, { onDelete: 'CASCADE', onUpdate: 'NO ACTION' })
  @JoinColumn({ name: 'project_id', foreignKeyConstraintName: 'fk_event_imports_project' })
  project?: Relation<Project>;

  /** Hash of the file's content and format. */
  @Column({ type: 'varchar', length: 64 })
  fingerprint: string;

  /** The last line read; 0 at the start. */
  @IntegerColumn()
  line: number;

  @IntegerColumn()
  accepted: number;

  @JsonColumn()
  rejections: Rejections;

  /** Null without any; imports of release 0.1.0 did not link ids. */
  @JsonColumn()
  ignored_links: IgnoredLinks | null;

  /** Null until the whole file has been read. */
  @MicrosColumn({ nullable: true })
  finished_at: Micros | null;

  /** The version of the project when the import finished. */
  @IntegerColumn({ nullable: true })
  finished_version: number | null;
}
