import { Entity, Index } from 'typeorm';
import type { Micros } from '../common/time/clock';
import { IdColumn, IntegerColumn, JsonColumn, MicrosColumn, TextColumn } from '../database/columns';

/** Who did what. Kept when the user, token or project it names is gone, hence no foreign keys. */
@Entity('audit_entries')
@Index('ix_audit_entries_project', ['project_id', 'id'])
export class AuditEntry {
  @IdColumn()
  id: number;

  @MicrosColumn()
  at: Micros;

  /** `api`, `page` (for people who sign in), `admin` (the admin command) or `server` (by itself). */
  @TextColumn(16)
  source: string;

  @IntegerColumn({ nullable: true })
  user_id: number | null;

  @IntegerColumn({ nullable: true })
  token_id: number | null;

  /** Such as `create`, `update`, `delete`, `status`. */
  @TextColumn(64)
  action: string;

  @IntegerColumn({ nullable: true })
  project_id: number | null;

  @TextColumn(32)
  item_type: string;

  @IntegerColumn()
  item_id: number;

  /** The changed fields as they were. */
  @JsonColumn()
  before: unknown;

  /** The changed fields as they became. */
  @JsonColumn()
  after: unknown;
}
