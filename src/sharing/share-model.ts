import type { Micros } from '../common/time/clock';
import type { EntryRows } from '../results/entry-series';
import type { ExperimentResults, GoalProgress, ResultFilter } from '../results/experiment-results';

/** The number of goals with inline plots; the plots of other goals are lazy-loaded. */
export const GOALS_WITH_PLOTS = 3;

/** Maximum number of rows of each table by entry; the API has the whole series. */
const MAX_ENTRY_ROWS = 60;

/** Maximum number of whole days or weeks in these tables. @param compared variations in each of them */
export const maxEntryPeriods = (compared: number): number =>
  Math.floor(MAX_ENTRY_ROWS / Math.max(1, compared));

/** When the snippet of the project was last seen. */
export interface SnippetSeen {
  /** ISO 8601; null if not since then. */
  at: string | null;
  since: string;
}

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

/** All data of an experiment's results page. */
export interface ShareModel {
  /** Under the filter. */
  results: ExperimentResults;
  /** Without a filter; on shared pages of the primary goal only, if there is a filter. */
  everybody: ExperimentResults;
  /** Series of each goal, in any order; only the last values for goals without inline plots. */
  progress: readonly GoalProgress[];
  /** Of the primary goal, or of the single one; null without a goal. */
  entries: GoalEntries | null;
  filter: ResultFilter;
  form: FilterForm;
  /** Path of the share page, below which the plots of each goal have their paths; null if sharing is switched off. */
  path: string | null;
  /** The reference time of the figures. */
  asOf: Micros;
  /** Time of the last event; null if it is unknown. */
  lastEventAt: Micros | null;
}
