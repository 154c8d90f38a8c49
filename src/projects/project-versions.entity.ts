import { Entity, JoinColumn, ManyToOne, OneToOne, PrimaryColumn, Relation } from 'typeorm';
import { IntegerColumn, LockVersionColumn } from '../database/columns';
import { Project } from './project.entity';

/**
 * Version of a project, incremented by each write; writes are serialised by this row. It is separate from the project
 * row, which inserts of items lock by their foreign keys.
 */
@Entity('project_versions')
export class ProjectVersions {
  @PrimaryColumn({ type: 'integer' })
  project_id: number;

  @OneToOne(() => Project, { onDelete: 'CASCADE', onUpdate: 'NO ACTION' })
  @JoinColumn({ name: 'project_id', foreignKeyConstraintName: 'fk_project_versions_project' })
  project?: Relation<Project>;

  /** Counts every write inside the project. */
  @IntegerColumn()
  version: number;

  @LockVersionColumn()
  lock_version: number;
}

/** How often a collection of a project has changed: the ETag of its list. Without a row it is 1. */
@Entity('collection_versions')
export class CollectionVersion {
  @PrimaryColumn({ type: 'integer' })
  project_id: number;

  @ManyToOne(() => Project, { onDelete: 'CASCADE', onUpdate: 'NO ACTION' })
  @JoinColumn({ name: 'project_id', foreignKeyConstraintName: 'fk_collection_versions_project' })
  project?: Relation<Project>;

  @PrimaryColumn({ type: 'varchar', length: 64 })
  collection: string;

  @IntegerColumn()
  version: number;
}
