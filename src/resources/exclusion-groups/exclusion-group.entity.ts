import { Entity, Index, JoinColumn, ManyToOne } from 'typeorm';
import type { Relation } from 'typeorm';
import { IntegerColumn, MediumTextColumn, TextColumn } from '../../database/columns';
import { NamedRow } from '../../database/named-rows';
import { Project } from '../../projects/project.entity';

@Entity('exclusion_groups')
@Index('uq_exclusion_groups_api_name', ['project_id', 'api_name'], { unique: true })
@Index('ix_exclusion_groups_name_key', ['project_id', 'name_key'])
export class ExclusionGroup extends NamedRow {
  @IntegerColumn()
  project_id: number;

  @ManyToOne(() => Project, { onDelete: 'CASCADE', onUpdate: 'NO ACTION' })
  @JoinColumn({ name: 'project_id', foreignKeyConstraintName: 'fk_exclusion_groups_project' })
  project?: Relation<Project>;

  @TextColumn(64)
  api_name: string;

  @MediumTextColumn({ nullable: true })
  description: string | null;
}
