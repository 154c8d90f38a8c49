import { Entity, PrimaryColumn } from 'typeorm';

/** A visitor that has events which are not part of the results yet. */
@Entity('dirty_visitors', { withoutRowid: true })
export class DirtyVisitor {
  @PrimaryColumn({ type: 'integer' })
  project_id: number;

  @PrimaryColumn({ type: 'varchar', length: 65 })
  visitor_id: string;
}
