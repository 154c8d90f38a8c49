import { Entity, Index, JoinColumn, ManyToOne } from 'typeorm';
import {
  FlagColumn,
  IntegerColumn,
  MediumTextColumn,
  PercentColumn,
  TextColumn,
} from '../../database/columns';
import { NamedRow } from '../../database/named-rows';

@Entity('variations')
@Index('uq_variations_api_name', ['experiment_id', 'api_name'], { unique: true })
export class Variation extends NamedRow {
  @IntegerColumn()
  experiment_id: number;

  @ManyToOne('Experiment', { onDelete: 'CASCADE', onUpdate: 'NO ACTION' })
  @JoinColumn({ name: 'experiment_id', foreignKeyConstraintName: 'fk_variations_experiment' })
  experiment?: object;

  @TextColumn(64)
  api_name: string;

  @MediumTextColumn({ nullable: true })
  description: string | null;

  /** True for exactly one variation in an experiment: the one that all others are compared with. */
  @FlagColumn()
  is_original: boolean;

  /** Percentage of the experiment's participants; null for an equal part of the remainder. */
  @PercentColumn({ nullable: true })
  traffic_allocation: number | null;

  @MediumTextColumn({ nullable: true })
  js: string | null;

  @MediumTextColumn({ nullable: true })
  css: string | null;
}
