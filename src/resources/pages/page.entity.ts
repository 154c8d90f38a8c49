import { Entity, Index, JoinColumn, ManyToOne } from 'typeorm';
import type { Relation } from 'typeorm';
import { IntegerColumn, JsonColumn, MediumTextColumn, TextColumn } from '../../database/columns';
import { NamedRow } from '../../database/named-rows';
import { Project } from '../../projects/project.entity';
import type { PageCondition } from './page-conditions';

export const ACTIVATIONS = ['immediate', 'manual', 'dom_change', 'url_change'] as const;

@Entity('pages')
@Index('uq_pages_api_name', ['project_id', 'api_name'], { unique: true })
@Index('ix_pages_name_key', ['project_id', 'name_key'])
export class Page extends NamedRow {
  @IntegerColumn()
  project_id: number;

  @ManyToOne(() => Project, { onDelete: 'CASCADE', onUpdate: 'NO ACTION' })
  @JoinColumn({ name: 'project_id', foreignKeyConstraintName: 'fk_pages_project' })
  project?: Relation<Project>;

  @TextColumn(64)
  api_name: string;

  @MediumTextColumn({ nullable: true })
  description: string | null;

  /** Empty if every page matches. */
  @JsonColumn()
  conditions: PageCondition[];

  @TextColumn(16)
  activation: (typeof ACTIVATIONS)[number];
}
