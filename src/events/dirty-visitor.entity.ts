import { Entity, Index, PrimaryColumn } from 'typeorm';
import type { Micros } from '../common/time/clock';
import { LockVersionColumn, MicrosColumn } from '../database/columns';

/** A visitor with events that are not attributed yet. */
@Entity('dirty_visitors', { withoutRowid: true })
@Index('ix_dirty_visitors_marked_at', ['project_id', 'marked_at'])
export class DirtyVisitor {
  @PrimaryColumn({ type: 'integer' })
  project_id: number;

  @PrimaryColumn({ type: 'varchar', length: 65 })
  visitor_id: string;

  /** Incremented by each collection of events, so that it conflicts with a concurrent attribution of the visitor. */
  @LockVersionColumn()
  lock_version: number;

  /** When it was marked, before any of its events was acknowledged; 0 if a server of an earlier release marked it. */
  @MicrosColumn({ default: 0 })
  marked_at: Micros;
}
