import { Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import type { Relation } from 'typeorm';
import type { Automation } from '../platform/access/actor';
import type { Micros } from '../common/time/clock';
import { BytesColumn, IdColumn, IntegerColumn, MicrosColumn, TextColumn } from '../database/columns';
import { Project } from '../projects/project.entity';

/**
 * The reason for a revision: a user published the project, a status changed, or an earlier revision was made live
 * again.
 */
export type PublicationReason = 'publish' | 'status' | 'rollback';

/** One revision of a project's live content. Rows are added but never changed. */
@Entity('publications')
@Index('uq_publications_revision', ['project_id', 'revision'], { unique: true })
export class Publication {
  @IdColumn()
  id: number;

  @IntegerColumn()
  project_id: number;

  @ManyToOne(() => Project, { onDelete: 'CASCADE', onUpdate: 'NO ACTION' })
  @JoinColumn({ name: 'project_id', foreignKeyConstraintName: 'fk_publications_project' })
  project?: Relation<Project>;

  /** The revision number, counted from 1 within each project. */
  @IntegerColumn()
  revision: number;

  @TextColumn(16)
  reason: PublicationReason;

  /** The source revision of a rollback; null for new content. */
  @IntegerColumn({ nullable: true })
  source_revision: number | null;

  /** The user who published the revision; null if the admin command or the server published it. */
  @IntegerColumn({ nullable: true })
  user_id: number | null;

  @IntegerColumn({ nullable: true })
  token_id: number | null;

  /** The reason for an automatic status change; null otherwise. */
  @TextColumn(16, { nullable: true })
  automation: Automation | null;

  @MicrosColumn()
  created_at: Micros;

  @TextColumn(32)
  snippet_version: string;

  /** Hex hash of the whole content. */
  @TextColumn(64)
  digest: string;

  /** SHA-256 of the script, in hexadecimal. */
  @TextColumn(64)
  sha256: string;

  /** SHA-384 hash of the script, in base64. */
  @TextColumn(64)
  sha384: string;

  /** Size of the script in bytes. */
  @IntegerColumn()
  bytes: number;

  @IntegerColumn()
  bytes_gzip: number;

  @IntegerColumn()
  bytes_brotli: number;
}

export const PUBLICATION_PARTS = [
  'definitions',
  'payload',
  'script',
  'script_gzip',
  'script_brotli',
] as const;

export type PublicationPartName = (typeof PUBLICATION_PARTS)[number];

/**
 * A piece of a publication part (definitions or content). Parts are stored in pieces, because a whole part can exceed
 * the maximum size of a statement.
 */
@Entity('publication_parts')
export class PublicationPart {
  @PrimaryColumn({ type: 'integer' })
  project_id: number;

  @ManyToOne(() => Project, { onDelete: 'CASCADE', onUpdate: 'NO ACTION' })
  @JoinColumn({ name: 'project_id', foreignKeyConstraintName: 'fk_publication_parts_project' })
  project?: Relation<Project>;

  @PrimaryColumn({ type: 'integer' })
  revision: number;

  @PrimaryColumn({ type: 'varchar', length: 16 })
  part: PublicationPartName;

  @PrimaryColumn({ type: 'integer' })
  position: number;

  @BytesColumn()
  bytes: Buffer;
}
