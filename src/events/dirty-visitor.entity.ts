import { Entity, PrimaryColumn } from 'typeorm';
import { LockVersionColumn } from '../database/columns';

/** A visitor with events that are not attributed yet. */
@Entity('dirty_visitors', { withoutRowid: true })
export class DirtyVisitor {
  @PrimaryColumn({ type: 'integer' })
  project_id: number;

  @PrimaryColumn({ type: 'varchar', length: 65 })
  visitor_id: string;

  /** Incremented by each collection of events, so that it conflicts with a concurrent attribution of the visitor. */
  @LockVersionColumn()
  lock_version: number;
}
