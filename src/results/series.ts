import { stringify } from 'csv-stringify/sync';
import { Day, formatDay } from '../common/time/clock';
import { ENTERED } from '../events/cell.entities';
import { exactRatio, VALUE_SCALE } from '../statistics/means';
import type { AgeRow, WeekRow } from './entry-series';
import type { AttachedGoal, ExperimentFacts } from './experiment-facts';
import type { DailyCellSum } from './result-cells.store';
import type { SeriesKey } from './result-filter';

/** The participants and conversions of one variation and goal on one day, with cumulative totals. */
export interface SeriesRow {
  /** `YYYY-MM-DD` in UTC. */
  date: string;
  variation_id: number;
  variation_name: string;
  /** Participants who entered on the day. */
  participants: number;
  /** Participants whose first conversion fell on the day. */
  conversions: number;
  /** Conversion events. */
  total_conversions: number;
  /** In the goal's unit; 0 for goals without values. */
  value: number;
  cumulative_participants: number;
  cumulative_conversions: number;
  cumulative_total_conversions: number;
  cumulative_value: number;
}

interface Counts {
  participants: number;
  conversions: number;
  totalConversions: number;
  value: bigint;
}

const nothing = (): Counts => ({ participants: 0, conversions: 0, totalConversions: 0, value: 0n });

/**
 * A goal's rows for each day and variation, ordered by day and then by variation. Cells for any other days are skipped.
 */
export function seriesRows(
  goal: AttachedGoal,
  variations: ExperimentFacts['variations'],
  days: readonly Day[],
  cells: readonly DailyCellSum[],
): SeriesRow[] {
  const counted = countsByPlace(goal, cells);
  const totals = new Map(variations.map(({ id }) => [id, nothing()]));
  return days.flatMap((day) =>
    variations.map(({ id, name }) => {
      const counts = counted.get(placeOf(day, id)) ?? nothing();
      const total = sum(totals.get(id) ?? nothing(), counts);
      totals.set(id, total);
      return {
        date: formatDay(day),
        variation_id: id,
        variation_name: name,
        participants: counts.participants,
        conversions: counts.conversions,
        total_conversions: counts.totalConversions,
        value: inUnits(counts.value),
        cumulative_participants: total.participants,
        cumulative_conversions: total.conversions,
        cumulative_total_conversions: total.totalConversions,
        cumulative_value: inUnits(total.value),
      };
    }),
  );
}

const placeOf = (day: Day, variationId: number): string => `${day}:${variationId}`;

const inUnits = (value: bigint): number => exactRatio(value, VALUE_SCALE);

function countsByPlace(goal: AttachedGoal, cells: readonly DailyCellSum[]): Map<string, Counts> {
  const counted = new Map<string, Counts>();
  for (const cell of cells) {
    const place = placeOf(cell.day, cell.variationId);
    counted.set(place, sum(counted.get(place) ?? nothing(), countsOf(goal, cell)));
  }
  return counted;
}

function countsOf({ id, value_type }: AttachedGoal, cell: DailyCellSum): Counts {
  if (cell.goalId === ENTERED) {
    return { ...nothing(), participants: cell.participants };
  }
  if (cell.goalId !== id) {
    return nothing();
  }
  return {
    participants: 0,
    conversions: cell.converters,
    totalConversions: cell.conversions,
    value: value_type === 'none' ? 0n : cell.uncappedValue,
  };
}

function sum(a: Counts, b: Counts): Counts {
  return {
    participants: a.participants + b.participants,
    conversions: a.conversions + b.conversions,
    totalConversions: a.totalConversions + b.totalConversions,
    value: a.value + b.value,
  };
}

type Row = SeriesRow | AgeRow | WeekRow;

const COUNTS = ['participants', 'conversions', 'total_conversions', 'value'];
const UPLIFT = ['uplift', 'uplift_lower', 'uplift_upper'];

const cumulative = (columns: readonly string[]): string[] => columns.map((column) => `cumulative_${column}`);

/** The columns after the key and the variation, in order. */
const FIGURES: Record<SeriesKey, string[]> = {
  date: [...COUNTS, ...cumulative(COUNTS)],
  age: [...COUNTS, ...UPLIFT, ...cumulative(COUNTS.slice(1)), ...cumulative(UPLIFT)],
  week: [...COUNTS, ...UPLIFT],
};

/**
 * Prevents formula injection: spreadsheets evaluate text with these prefixes, including full-width forms in East Asian
 * locales.
 */
const FORMULA = /^[=+\-@\t\r＝＋－＠]/;

const harmless = (text: string): string => (FORMULA.test(text) ? `'${text}` : text);

/** The rows as CSV (RFC 4180), with a header. */
export function seriesCsv(rows: readonly Row[], by: SeriesKey = 'date'): string {
  const cells = rows.map((row) => ({ ...row, variation_name: harmless(row.variation_name) }));
  return stringify(cells, {
    header: true,
    columns: [by, 'variation_id', 'variation_name', ...FIGURES[by]],
    record_delimiter: 'windows',
    quote_record_delimiter: true,
  });
}
