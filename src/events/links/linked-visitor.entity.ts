import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { Micros } from '../../common/time/clock';
import { FlagColumn, IntegerColumn, LockVersionColumn, MicrosColumn } from '../../database/columns';

/** A visitor id that is linked to a canonical one. A canonical id is never linked itself. */
@Entity('linked_visitors', { withoutRowid: true })
@Index('ix_linked_visitors_canonical', ['project_id', 'canonical_id'])
export class LinkedVisitor {
  @PrimaryColumn({ type: 'integer' })
  project_id: number;

  @PrimaryColumn({ type: 'varchar', length: 65 })
  visitor_id: string;

  @Column({ type: 'varchar', length: 65 })
  canonical_id: string;

  /** Time of arrival. Results that were final by then do not take the link into account. */
  @MicrosColumn()
  linked_at: Micros;

  /** Whether it is included in the results. */
  @FlagColumn()
  attributed: boolean;

  /** Incremented by each attribution of the linked ids, so that no two transactions attribute them at the same time. */
  @LockVersionColumn()
  lock_version: number;
}

/** The number of links of a project. Transactions that add links change it, so that they add them one after another. */
@Entity('link_counts')
export class LinkCount {
  @PrimaryColumn({ type: 'integer' })
  project_id: number;

  @IntegerColumn()
  links: number;

  @LockVersionColumn()
  lock_version: number;
}
