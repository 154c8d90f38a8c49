import { Day, formatDay } from '../../common/time/clock';
import { Series, thinned } from '../plots/series';
import { formatLongDay } from '../text/dates';
import { Column, Row, Table } from './table';
import { Name, None, Range } from './text';

const MOST_DAYS = 31;
const FEWEST_DAYS = 5;
const MOST_ROWS = 120;

export interface IntervalTableProps {
  title: string;
  series: readonly Series[];
  /** The name of the figure, such as `Conversion rate`. */
  figure: string;
  /** Formats a figure so that it lies within its formatted range. */
  formatValue: (value: number, range?: readonly number[]) => string;
  formatRange: (range: readonly [number, number]) => string;
}

/** The figures of a plot as a table. Long periods show every n-th day, counted from the last. */
export function IntervalTable({ title, series, figure, formatValue, formatRange }: IntervalTableProps) {
  const all = [...new Set(series.flatMap(({ points }) => points.map(({ day }) => day)))].sort(
    (a, b) => a - b,
  );
  const most = Math.min(MOST_DAYS, Math.max(FEWEST_DAYS, Math.floor(MOST_ROWS / series.length)));
  const days = thinned(all, most);
  const [last, beforeLast] = days.slice(-2).reverse();
  const step = last !== undefined && beforeLast !== undefined ? last - beforeLast : 1;
  const columns: Column[] = [
    { key: 'day', title: 'Until the end of' },
    { key: 'variation', title: 'Variation' },
    { key: 'figure', title: figure, isNumeric: true },
    { key: 'interval', title: 'Interval', isNumeric: true },
  ];
  const rows = days
    .reverse()
    .flatMap((day) => series.map((one) => rowOf(day, one, { formatValue, formatRange })));
  return (
    <details class="data">
      <summary>Show the figures as a table</summary>
      <div class="data-scroll" tabindex={0} role="group" aria-label={`Table: ${title}`}>
        <Table caption={step > 1 ? `${title}, every ${step} days` : title} columns={columns} rows={rows} />
      </div>
    </details>
  );
}

function rowOf(
  day: Day,
  { id, name, points }: Series,
  { formatValue, formatRange }: Pick<IntervalTableProps, 'formatValue' | 'formatRange'>,
): Row {
  const point = points.find((one) => one.day === day);
  const value = point?.value ?? null;
  const interval = point?.interval ?? null;
  return {
    key: `${day}-${id}`,
    cells: [
      <time datetime={formatDay(day)}>{formatLongDay(day)}</time>,
      <Name>{name}</Name>,
      value === null ? <None /> : formatValue(value, interval ?? []),
      value === null ? <None /> : <Range range={interval} format={formatRange} />,
    ],
  };
}
