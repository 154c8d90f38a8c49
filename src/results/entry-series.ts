import { mapInTurns } from '../common/event-loop';
import { groupBy } from '../common/lists/collections';
import { Day, formatDay } from '../common/time/clock';
import { ENTERED } from '../events/cell.entities';
import { armEstimate } from '../statistics/arm-estimate';
import { exactRatio, VALUE_SCALE } from '../statistics/means';
import type { GoalTotals } from '../statistics/input';
import { totalsOver } from '../statistics/strata';
import type { AttachedGoal, ExperimentFacts } from './experiment-facts';
import type { CellSum, EntryCellSum } from './result-cells.store';
import { addTo, byGoal, goalTotals, negative, summedOverDays, type SumsByPlace } from './totals';

/** The conversions of a variation's participants on one day since their entry, with cumulative totals. */
export interface AgeRow {
  /** Days since the day of entry, from 0. */
  age: number;
  variation_id: number;
  variation_name: string;
  /** Participants for whom this day has begun. */
  participants: number;
  conversions: number;
  total_conversions: number;
  value: number;
  uplift: number | null;
  uplift_lower: number | null;
  uplift_upper: number | null;
  cumulative_conversions: number;
  cumulative_total_conversions: number;
  cumulative_value: number;
  cumulative_uplift: number | null;
  cumulative_uplift_lower: number | null;
  cumulative_uplift_upper: number | null;
}

/** The conversions to date of participants who entered in one week. */
export interface WeekRow {
  /** `YYYY-MM-DD` in UTC, a Monday. */
  week: string;
  variation_id: number;
  variation_name: string;
  participants: number;
  conversions: number;
  total_conversions: number;
  value: number;
  uplift: number | null;
  uplift_lower: number | null;
  uplift_upper: number | null;
}

/** Both series of a goal. */
export interface EntryRows {
  ages: AgeRow[];
  weeks: WeekRow[];
}

/** The input for both series: one goal's cells, and the cells for its participants by day of entry. */
export interface EntryCells {
  facts: Pick<ExperimentFacts, 'variations' | 'phases' | 'hasSquares'>;
  goal: AttachedGoal;
  cells: readonly EntryCellSum[];
  /** Error probability of the intervals, from 0 to 1. */
  alpha: number;
}

type Uplift = Pick<WeekRow, 'uplift' | 'uplift_lower' | 'uplift_upper'>;

const NO_UPLIFT: Uplift = { uplift: null, uplift_lower: null, uplift_upper: null };
/** A metric that ignores values. */
const CONVERSION = { hasValue: false, counting: 'unique' } as const;
const DAYS_OF_WEEK = 7;
/** Days from Monday to 1970-01-01, a Thursday. */
const DAYS_SINCE_MONDAY = 3;

/**
 * One row for each combination of day since entry and variation. A row includes the participants for whom the row's day
 * has begun by `last`. If there is a conversion window, the last row is for the window's last day. Yields to other requests
 * during long work.
 * @param most maximum number of days, counted from the first
 */
export async function ageRows(given: EntryCells, last: Day, most = Infinity): Promise<AgeRow[]> {
  const cells = given.cells.filter(({ day }) => day <= last);
  const byAge = groupBy(cells, ({ day, entryDay }) => day - entryDay);
  const byEntry = groupBy(cells, ({ entryDay }) => entryDay);
  const first = Math.min(last + 1, ...byEntry.keys());
  const days = Math.min(most, Math.min(last - first, given.goal.conversion_window_days ?? Infinity) + 1);
  const until: SumsByPlace = new Map();
  const ages = Array.from({ length: days }, (_, age) => age);
  const rows = await mapInTurns(ages, (age) => {
    const ofDay = byAge.get(age) ?? [];
    addTo(until, ofDay);
    // Subtracts the cells of participants who entered one day too late for the row's day to have begun by `last`.
    addTo(until, (byEntry.get(last - age + 1) ?? []).map(negative));
    return rowsOfAge(given, age, [...until.values()], ofDay);
  });
  return rows.flat();
}

/** @param until the cells up to the row's day @param ofDay the cells for the row's day alone */
function rowsOfAge(
  given: EntryCells,
  age: number,
  until: readonly CellSum[],
  ofDay: readonly CellSum[],
): AgeRow[] {
  const entered = until.filter(({ goalId }) => goalId === ENTERED);
  const acted = summedOverDays(ofDay.filter(({ goalId }) => goalId !== ENTERED));
  const day = totalsOf(given, [...entered, ...acted]);
  const all = totalsOf(given, until);
  return given.facts.variations.map(({ id, name }) => {
    const cumulative = upliftIn(all, all, given, id);
    return {
      age,
      variation_id: id,
      variation_name: name,
      ...countsOf(day, id),
      ...upliftIn(day, CONVERSION, given, id),
      ...cumulated(countsOf(all, id)),
      cumulative_uplift: cumulative.uplift,
      cumulative_uplift_lower: cumulative.uplift_lower,
      cumulative_uplift_upper: cumulative.uplift_upper,
    };
  });
}

const cumulated = ({ conversions, total_conversions, value }: ReturnType<typeof countsOf>) => ({
  cumulative_conversions: conversions,
  cumulative_total_conversions: total_conversions,
  cumulative_value: value,
});

/**
 * One row for each combination of week of entry and variation. Yields to other requests during long work.
 * @param days the days in the series, ascending
 */
export async function weekRows(given: EntryCells, days: readonly Day[]): Promise<WeekRow[]> {
  const byWeek = groupBy(given.cells, ({ entryDay }) => mondayOf(entryDay));
  const rows = await mapInTurns([...new Set(days.map(mondayOf))], (week) => {
    const totals = totalsOf(given, summedOverDays(byWeek.get(week) ?? []));
    return given.facts.variations.map(({ id, name }) => ({
      week: formatDay(week),
      variation_id: id,
      variation_name: name,
      ...countsOf(totals, id),
      ...upliftIn(totals, totals, given, id),
    }));
  });
  return rows.flat();
}

const mondayOf = (day: Day): Day => day - ((day + DAYS_SINCE_MONDAY) % DAYS_OF_WEEK);

const totalsOf = ({ goal, facts }: EntryCells, sums: readonly CellSum[]): GoalTotals =>
  goalTotals(goal, facts, byGoal(sums));

function countsOf(goal: GoalTotals, variationId: number) {
  const { participants, converters, conversions, value, uncappedValue } = totalsOver(
    goal.phases,
    variationId,
  );
  return {
    participants,
    conversions: converters,
    total_conversions: conversions,
    value: goal.hasValue ? exactRatio(uncappedValue ?? value, VALUE_SCALE) : 0,
  };
}

/**
 * The uplift in a metric over the original, for a single look, with the same strata and interval type as the results.
 */
function upliftIn(
  { phases }: GoalTotals,
  metric: Pick<GoalTotals, 'hasValue' | 'counting'>,
  { facts, alpha }: EntryCells,
  variationId: number,
): Uplift {
  const original = facts.variations.find(({ is_original }) => is_original);
  if (original === undefined || original.id === variationId) {
    return NO_UPLIFT;
  }
  const settings = { alpha, tuning: new Map(), method: 'frequentist' } as const;
  const { uplift, upliftInterval } = armEstimate({ ...metric, phases }, variationId, original.id, settings);
  return { uplift, uplift_lower: upliftInterval?.[0] ?? null, uplift_upper: upliftInterval?.[1] ?? null };
}
