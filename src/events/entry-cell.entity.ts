import { Entity, JoinColumn, ManyToOne } from 'typeorm';
import type { Relation } from 'typeorm';
import { CellColumns } from './cell-columns';
import { ExperimentResult } from './experiment-result.entity';

/**
 * The sums of result cells over event days, updated in the same transaction as the cells. Totals up to the present read
 * these instead of the daily cells.
 */
@Entity('entry_cells', { withoutRowid: true })
export class EntryCell extends CellColumns {
  @ManyToOne(() => ExperimentResult, { onDelete: 'CASCADE', onUpdate: 'NO ACTION' })
  @JoinColumn({ name: 'experiment_id', foreignKeyConstraintName: 'fk_entry_cells_experiment_result' })
  result?: Relation<ExperimentResult>;
}
