import { Entity, Index, JoinColumn, ManyToOne } from 'typeorm';
import type { Relation } from 'typeorm';
import { FlagColumn, IntegerColumn, MediumTextColumn, TextColumn } from '../../database/columns';
import { NamedRow } from '../../database/named-rows';
import { Project } from '../../projects/project.entity';

@Entity('environments')
@Index('uq_environments_api_name', ['project_id', 'api_name'], { unique: true })
@Index('ix_environments_name_key', ['project_id', 'name_key'])
export class Environment extends NamedRow {
  @IntegerColumn()
  project_id: number;

  @ManyToOne(() => Project, { onDelete: 'CASCADE', onUpdate: 'NO ACTION' })
  @JoinColumn({ name: 'project_id', foreignKeyConstraintName: 'fk_environments_project' })
  project?: Relation<Project>;

  @TextColumn(64)
  api_name: string;

  /** True for exactly one environment in a project: the one that new experiments get. */
  @FlagColumn()
  is_default: boolean;

  /** Function body that returns true if the environment applies. */
  @MediumTextColumn()
  code: string;
}
