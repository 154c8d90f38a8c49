import { Name, None, Range } from '../../presentation/components/text';
import { Table } from '../../presentation/components/table';
import { formatLongDay } from '../../presentation/text/dates';
import { formatChange, formatChangeRange, formatCount } from '../../presentation/text/numbers';
import { parseDay } from '../../common/time/clock';
import type { AgeRow, WeekRow } from '../../results/entry-series';
import { knownRange } from '../comparison';
import { type GoalEntries, maxEntryPeriods } from '../share-model';

const VARIATION = { key: 'variation', title: 'Variation' };
const PARTICIPANTS = { key: 'participants', title: 'Participants', isNumeric: true };

interface EntryEffectsProps extends GoalEntries {
  /** Ids of the variations that are compared with the original. */
  compared: ReadonlySet<number>;
}

/** The uplift by day since entry and by week of entry, collapsed. Empty until there are two days to compare. */
export function EntryEffects({ name, compared, ages, weeks }: EntryEffectsProps) {
  const isCompared = (row: AgeRow | WeekRow): boolean => compared.has(row.variation_id);
  // Keeps only whole days and weeks: the first days and the last weeks.
  const rows = maxEntryPeriods(compared.size) * compared.size;
  const days = ages.filter(isCompared).slice(0, rows);
  const cohorts = rows === 0 ? [] : weeks.filter(isCompared).slice(-rows);
  if (days.length <= compared.size) {
    return null;
  }
  return (
    <section class="card entry-effects" aria-labelledby="entry-effects">
      <details>
        <summary>
          <h2 id="entry-effects">Change by day since entry</h2>
        </summary>
        <p>
          The change for <Name>{name}</Name>, by day since the participants’ first exposure and by week of
          first exposure. A change that is large at first and then shrinks may be due to novelty. Each range
          is for a single look: with many rows, some exclude zero by chance.
        </p>
        <AgeTable rows={days} />
        <WeekTable rows={cohorts} />
      </details>
    </section>
  );
}

function AgeTable({ rows }: { rows: readonly AgeRow[] }) {
  const columns = [
    { key: 'age', title: 'Day since entry', isNumeric: true, isTitled: true },
    VARIATION,
    PARTICIPANTS,
    { key: 'day', title: 'Change in first conversions that day', isNumeric: true },
    { key: 'until', title: 'Change until then', isNumeric: true },
  ];
  const cells = rows.map((row) => ({
    key: `${row.age}-${row.variation_id}`,
    cells: [
      row.age,
      <Name>{row.variation_name}</Name>,
      formatCount(row.participants),
      <Change uplift={row.uplift} range={[row.uplift_lower, row.uplift_upper]} />,
      <Change
        uplift={row.cumulative_uplift}
        range={[row.cumulative_uplift_lower, row.cumulative_uplift_upper]}
      />,
    ],
  }));
  return <Table caption="By day since the first exposure" columns={columns} rows={cells} form="cards" />;
}

function WeekTable({ rows }: { rows: readonly WeekRow[] }) {
  const columns = [
    { key: 'week', title: 'Week from', isTitled: true },
    VARIATION,
    PARTICIPANTS,
    { key: 'change', title: 'Change', isNumeric: true },
  ];
  const cells = rows.map((row) => ({
    key: `${row.week}-${row.variation_id}`,
    cells: [
      formatLongDay(parseDay(row.week) ?? 0),
      <Name>{row.variation_name}</Name>,
      formatCount(row.participants),
      <Change uplift={row.uplift} range={[row.uplift_lower, row.uplift_upper]} />,
    ],
  }));
  return <Table caption="By week of the first exposure" columns={columns} rows={cells} form="cards" />;
}

interface ChangeProps {
  uplift: number | null;
  range: readonly [lower: number | null, upper: number | null];
}

function Change({ uplift, range: [lower, upper] }: ChangeProps) {
  const range = lower === null || upper === null ? null : knownRange([lower, upper]);
  return uplift === null ? (
    <None />
  ) : (
    <span>
      <span class="figure">{formatChange(uplift, range ?? [])}</span>
      <span class="range">
        <Range range={range} format={formatChangeRange} />
      </span>
    </span>
  );
}
