import type { Micros } from '../common/time/clock';
import type { EntryRows } from '../results/entry-series';
import type { ExperimentResults, GoalProgress, ResultFilter } from '../results/experiment-results';

/** The number of goals with inline plots; the plots of other goals are lazy-loaded. */
export const GOALS_WITH_PLOTS = 3;

/** Maximum number of rows in each table of participants by entry. The API returns the whole series. */
const MAX_ENTRY_ROWS = 60;

/**
 * Maximum number of whole days or weeks in each table of participants by entry. @param compared the number of compared
 * variations
 */
export const maxEntryPeriods = (compared: number): number =>
  Math.floor(MAX_ENTRY_ROWS / Math.max(1, compared));

/** When the project's snippet was last seen. */
export interface SnippetSeen {
  /** ISO 8601; null if not seen since `since`. */
  at: string | null;
  since: string;
}

/** The submitted filter and its errors. */
export interface FilterForm {
  startDate: string;
  endDate: string;
  deviceTypes: readonly string[];
  cohorts: string;
  /** Messages by field name. */
  errors: Readonly<Record<string, readonly string[]>>;
}

/** The data of an experiment without results. */
export type ResultsHeader = Pick<ShareModel, 'results' | 'asOf' | 'lastEventAt'>;

/** What to show: no results, an invalid filter, or the results. */
export type Shareable =
  | { outcome: 'no results'; header: ResultsHeader }
  | { outcome: 'wrong filter'; header: ResultsHeader; form: FilterForm }
  | { outcome: 'results'; model: ShareModel };

/** A goal's figures, both by days since entry and by week of entry. */
export interface GoalEntries extends EntryRows {
  name: string;
}

/** All data of an experiment's results page. */
export interface ShareModel {
  /** Results with the filter applied. */
  results: ExperimentResults;
  /** Results without the filter. If a filter is set, shared pages include only the primary goal. */
  everybody: ExperimentResults;
  /** The series for each goal, in any order. For goals without inline plots, only the last values. */
  progress: readonly GoalProgress[];
  /** The series by entry for the primary goal, or for the only goal shown; null if there is no goal. */
  entries: GoalEntries | null;
  filter: ResultFilter;
  form: FilterForm;
  /** Path of the share page, which is also the prefix of its plot paths; null if sharing is switched off. */
  path: string | null;
  /** The time to which the figures refer. */
  asOf: Micros;
  /** Time of the last event; null if it is unknown. */
  lastEventAt: Micros | null;
}
