import { Entity, JoinColumn, OneToOne, PrimaryColumn } from 'typeorm';
import type { Relation } from 'typeorm';
import { IntegerColumn } from '../database/columns';
import { Project } from './project.entity';

/**
 * What has changed in a project, counted by the writes themselves. The row is apart from the project's own, which
 * inserts of its items lock by their foreign keys. Each column but the first two belongs to one collection.
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

  @IntegerColumn()
  experiments: number;

  @IntegerColumn()
  audiences: number;

  @IntegerColumn()
  pages: number;

  @IntegerColumn()
  goals: number;

  @IntegerColumn()
  environments: number;
}
