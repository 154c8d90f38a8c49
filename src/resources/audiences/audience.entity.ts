import { Entity, Index, JoinColumn, ManyToOne } from 'typeorm';
import type { Relation } from 'typeorm';
import { IntegerColumn, JsonColumn, MediumTextColumn, TextColumn } from '../../database/columns';
import { NamedRow } from '../../database/named-rows';
import { Project } from '../../projects/project.entity';
import type { ConditionTree } from './condition-tree';

@Entity('audiences')
@Index('uq_audiences_api_name', ['project_id', 'api_name'], { unique: true })
@Index('ix_audiences_name_key', ['project_id', 'name_key'])
export class Audience extends NamedRow {
  @IntegerColumn()
  project_id: number;

  @ManyToOne(() => Project, { onDelete: 'CASCADE', onUpdate: 'NO ACTION' })
  @JoinColumn({ name: 'project_id', foreignKeyConstraintName: 'fk_audiences_project' })
  project?: Relation<Project>;

  /** Always set. The column has a default only because it was added to a table that already had rows. */
  @TextColumn(64, { default: '' })
  api_name: string;

  @MediumTextColumn({ nullable: true })
  description: string | null;

  /** Null matches every visitor. */
  @JsonColumn()
  conditions: ConditionTree | null;
}
