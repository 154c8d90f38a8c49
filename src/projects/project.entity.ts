import { Entity, Index, JoinColumn, ManyToOne, OneToOne, PrimaryColumn, Relation } from 'typeorm';
import type { Micros } from '../common/time/clock';
import {
  IntegerColumn,
  LockVersionColumn,
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

  /** Where the browser stores a visitor's assignments. */
  @TextColumn(16)
  storage: (typeof STORAGES)[number];

  @IntegerColumn()
  snippet_revision: number;

  @TextColumn(32)
  client_key: string;

  @MediumTextColumn({ nullable: true })
  description: string | null;

  /** In percent. */
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

  /** Standard deviation of the prior for the uplift, in percent; null for a flat prior. */
  @PercentColumn({ nullable: true })
  uplift_prior: number | null;

  /** ISO 4217 code of the currency of revenue; null if unknown. */
  @TextColumn(3, { nullable: true })
  currency: string | null;

  /** Time of deletion; null if not deleted. */
  @MicrosColumn({ nullable: true })
  deleted_at: Micros | null;
}

/**
 * The version of a project, which each write increments. This row serialises writes. The version has a row of its own,
 * because inserts of items lock the project row through their foreign keys.
 */
@Entity('project_versions')
export class ProjectVersions {
  @PrimaryColumn({ type: 'integer' })
  project_id: number;

  @OneToOne(() => Project, { onDelete: 'CASCADE', onUpdate: 'NO ACTION' })
  @JoinColumn({ name: 'project_id', foreignKeyConstraintName: 'fk_project_versions_project' })
  project?: Relation<Project>;

  /** The number of writes inside the project. */
  @IntegerColumn()
  version: number;

  /** The lowest number for the next revision; see skipped-numbers.ts. */
  @IntegerColumn({ default: 1 })
  min_revision: number;

  @LockVersionColumn()
  lock_version: number;
}

/** The version of a collection in a project, for the ETag of its list. If there is no row, the version is 1. */
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
