import { Entity, Index } from 'typeorm';
import type { Micros } from '../common/time/clock';
import { IdColumn, IntegerColumn, JsonColumn, MicrosColumn, TextColumn } from '../database/columns';

/**
 * An entry in the audit log. Entries outlive their user and token, and the entries for a project's deletion and purge
 * outlive the project, so they have no foreign keys.
 */
@Entity('audit_entries')
@Index('ix_audit_entries_project', ['project_id', 'id'])
@Index('ix_audit_entries_item', ['project_id', 'item_type', 'item_id', 'id'])
export class AuditEntry {
  @IdColumn()
  id: number;

  @MicrosColumn()
  at: Micros;

  /**
   * `api`, `page` (signed-in users), `admin` (the admin command), `schedule` or `guardrail` (the server changed a
   * status), or `server` (housekeeping).
   */
  @TextColumn(16)
  source: string;

  @IntegerColumn({ nullable: true })
  user_id: number | null;

  @IntegerColumn({ nullable: true })
  token_id: number | null;

  /** The action, such as `create`, `update`, `delete` or `status`. */
  @TextColumn(64)
  action: string;

  @IntegerColumn({ nullable: true })
  project_id: number | null;

  @TextColumn(32)
  item_type: string;

  @IntegerColumn()
  item_id: number;

  /** The record's name after the change, or before its deletion; null for entries from earlier releases. */
  @TextColumn(255, { nullable: true })
  item_name: string | null;

  /** The case-folded name for searching; see `foldName`. */
  @TextColumn(765, { nullable: true })
  item_search: string | null;

  /** The old values of the changed fields. */
  @JsonColumn()
  before: unknown;

  /** The new values of the changed fields. */
  @JsonColumn()
  after: unknown;

  /** The `X-Request-Id` of the request that made the change; null for changes outside requests. */
  @TextColumn(64, { nullable: true })
  request_id: string | null;
}
