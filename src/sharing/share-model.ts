import type { Micros } from '../common/time/clock';
import type { EntryRows } from '../results/entry-series';
import type { ExperimentResults, GoalProgress, ResultFilter } from '../results/experiment-results';

/** The number of goals with inline plots; the plots of other goals are lazy-loaded. */
export const GOALS_WITH_PLOTS = 3;

/** The submitted filter and its errors. */
export interface FilterForm {
  startDate: string;
  endDate: string;
  deviceTypes: readonly string[];
  cohorts: string;
  /** Messages by the name of the field. */
  errors: Readonly<Record<string, readonly string[]>>;
}

/** The data of an experiment without results. */
export type Standing = Pick<ShareModel, 'results' | 'asOf' | 'lastEventAt'>;

/** What to show: no results, an invalid filter, or the results. */
export type Shareable =
  | { outcome: 'no results'; standing: Standing }
  | { outcome: 'wrong filter'; standing: Standing; form: FilterForm }
  | { outcome: 'results'; model: ShareModel };

/** A goal by the entry of its participants. */
export interface GoalEntries extends EntryRows {
  name: string;
}

/** Everything that the page of an experiment's results shows. */
export interface ShareModel {
  /** Under the filter. */
  results: ExperimentResults;
  /** Without a filter. */
  everybody: ExperimentResults;
  /** The expected share of each variation, as a fraction. */
  expectedShares: ReadonlyMap<number, number>;
  /** Series of each goal, in any order; only the last values for goals without inline plots. */
  progress: readonly GoalProgress[];
  /** Of the primary goal, or of the single one; null without a goal. */
  entries: GoalEntries | null;
  filter: ResultFilter;
  form: FilterForm;
  /** Of the share page, below which the plots of each goal have their addresses. */
  path: string;
  /** The moment that the figures are about. */
  asOf: Micros;
  /** When something last happened; null when that is not known. */
  lastEventAt: Micros | null;
}
