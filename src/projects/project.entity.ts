import { Entity, Index, JoinColumn, ManyToOne } from 'typeorm';
import type { Relation } from 'typeorm';
import type { Micros } from '../common/time/clock';
import {
  IntegerColumn,
  MediumTextColumn,
  MicrosColumn,
  PercentColumn,
  TextColumn,
} from '../database/columns';
import { NamedRow } from '../database/named-rows';
import { Team } from '../teams/team.entity';

export const STORAGES = ['localStorage', 'cookie'] as const;
export const STATISTICS_METHODS = ['sequential', 'planned', 'frequentist', 'bayesian'] as const;
export const STATISTICS_CORRECTIONS = ['none', 'holm', 'benjamini-hochberg'] as const;

@Entity('projects')
@Index('uq_projects_client_key', ['client_key'], { unique: true })
@Index('ix_projects_team', ['team_id'])
@Index('ix_projects_deleted_at', ['deleted_at'])
export class Project extends NamedRow {
  @IntegerColumn()
  team_id: number;

  @ManyToOne(() => Team, { onDelete: 'CASCADE', onUpdate: 'NO ACTION' })
  @JoinColumn({ name: 'team_id', foreignKeyConstraintName: 'fk_projects_team' })
  team?: Relation<Team>;

  /** Storage of a visitor's assignments in the browser. */
  @TextColumn(16)
  storage: (typeof STORAGES)[number];

  @IntegerColumn()
  snippet_revision: number;

  @TextColumn(32)
  client_key: string;

  @MediumTextColumn({ nullable: true })
  description: string | null;

  /** Percent. */
  @PercentColumn()
  significance: number;

  @IntegerColumn()
  min_conversions: number;

  @IntegerColumn()
  min_runtime_days: number;

  @TextColumn(16)
  statistics_method: (typeof STATISTICS_METHODS)[number];

  @TextColumn(32)
  statistics_correction: (typeof STATISTICS_CORRECTIONS)[number];

  /** Standard deviation of the prior of the uplift in percent; null for a flat one. */
  @PercentColumn({ nullable: true })
  uplift_prior: number | null;

  /** ISO 4217 code of revenue; null if unknown. */
  @TextColumn(3, { nullable: true })
  currency: string | null;

  /** Time of deletion; null if not deleted. */
  @MicrosColumn({ nullable: true })
  deleted_at: Micros | null;
}
