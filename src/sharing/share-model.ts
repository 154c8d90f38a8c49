import type { Micros } from '../common/time/clock';
import type { ExperimentResults, GoalProgress, ResultFilter } from '../results/experiment-results';

/** What was typed into the filter, and what was wrong with it. */
export interface FilterForm {
  startDate: string;
  endDate: string;
  deviceTypes: readonly string[];
  /** Messages by the name of the field. */
  errors: Readonly<Record<string, readonly string[]>>;
}

/** What can be told of an experiment without its figures. */
export type Standing = Pick<ShareModel, 'results' | 'asOf' | 'lastEventAt'>;

/** What there is to show: no results yet, a filter that cannot be used, or everything. */
export type Shareable =
  | { outcome: 'no results'; standing: Standing }
  | { outcome: 'wrong filter'; standing: Standing; form: FilterForm }
  | { outcome: 'results'; model: ShareModel };

/** Everything that the page of an experiment's results shows. */
export interface ShareModel {
  /** Under the filter. */
  results: ExperimentResults;
  /** Without a filter. */
  everybody: ExperimentResults;
  /** Which part of the participants each variation should have, as a fraction. */
  expectedShares: ReadonlyMap<number, number>;
  /** Of each goal, in any order. */
  progress: readonly GoalProgress[];
  filter: ResultFilter;
  form: FilterForm;
  /** The moment that the figures are about. */
  asOf: Micros;
  /** When something last happened; null when that is not known. */
  lastEventAt: Micros | null;
}
