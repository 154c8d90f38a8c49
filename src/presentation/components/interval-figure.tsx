import { Day, formatDay } from '../../common/time/clock';
import { valueDomain } from '../plots/axes';
import { drawIntervals, MULTIPLE, SINGLE, type DrawnPlot, type TickFormat } from '../plots/interval-plot';
import { describeSeries, hasFigures, isCrowded, Series, SeriesLook, thinned } from '../plots/series';
import { formatLongDay } from '../text/dates';
import { plainName, shortName, shortNames } from '../text/words';
import { LegendEntry } from './legend-entry';
import { Column, Row, Table } from './table';
import { Name, None, Range } from './text';

/** Maximum number of Tab stops in each plot. The table has all figures. */
const MAX_STOPS = 5;
const NAME_LENGTH = 24;
const TOP = 14;
const BOTTOM = 34;

interface PlotReadingsProps {
  title: string;
  series: readonly Series[];
  plot: DrawnPlot;
  formatValue: (value: number, range?: readonly number[]) => string;
  formatRange: (range: readonly [number, number]) => string;
}

/** A layer on top of a plot. It shows the figures for each day on hover and on keyboard focus. */
function PlotReadings({ title, series, plot, ...formats }: PlotReadingsProps) {
  const { size, readings } = plot;
  const stops = new Set(thinned(readings, MAX_STOPS));
  const names = series.map(({ name }) => plainName(name));
  const shown = shortNames(names, NAME_LENGTH);
  return (
    <svg
      class="plot-readings"
      viewBox={`0 0 ${size.width} ${size.height}`}
      role="group"
      aria-label={`${title}: figures by day`}
    >
      {readings.map((reading, index) => {
        const left = middle(readings[index - 1]?.x ?? 2 * reading.x - (readings[1]?.x ?? 0), reading.x);
        const right = middle(reading.x, readings[index + 1]?.x ?? reading.x + 20);
        const figures = figuresOf(series, reading.day, formats);
        const linesWith = (called: readonly string[]): string[] => [
          formatLongDay(reading.day),
          ...figures.map(([place, figure]) => `${called[place] ?? ''} ${figure}`),
        ];
        const isRight = reading.x > size.width / 2;
        return (
          <g
            key={reading.day}
            class="reading"
            role="group"
            aria-label={linesWith(names).join('. ')}
            {...(stops.has(reading) && { tabindex: 0 })}
          >
            <rect
              x={left}
              y={TOP}
              width={Math.max(1, right - left)}
              height={size.height - TOP - BOTTOM}
              fill="transparent"
            />
            <path d={`M${reading.x} ${TOP}V${size.height - BOTTOM}`} />
            <text aria-hidden="true" text-anchor={isRight ? 'end' : 'start'}>
              {linesWith(shown).map((line, row) => (
                <tspan
                  key={row}
                  x={isRight ? reading.x - 8 : reading.x + 8}
                  {...(row === 0 ? { y: TOP + 12 } : { dy: '1.35em' })}
                >
                  {line}
                </tspan>
              ))}
            </text>
          </g>
        );
      })}
    </svg>
  );
}

const middle = (a: number, b: number): number => Math.round(Math.max(0, (a + b) / 2));

/** The figures of a day, each with the index of its series. */
function figuresOf(
  series: readonly Series[],
  day: Day,
  { formatValue, formatRange }: Pick<PlotReadingsProps, 'formatValue' | 'formatRange'>,
): [place: number, figure: string][] {
  return series.flatMap(({ points }, place): [number, string][] => {
    const { value = null, interval = null } = points.find((point) => point.day === day) ?? {};
    const range = interval === null ? '' : ` (${formatRange(interval)})`;
    return value === null ? [] : [[place, `${formatValue(value, interval ?? [])}${range}`]];
  });
}

interface ImageProps {
  id: string;
  title: string;
  description: string;
  plot: DrawnPlot;
}

/** A plot as an image with an accessible name and description. */
function PlotImage({ id, title, description, plot }: ImageProps) {
  const { size, markup } = plot;
  return (
    <svg
      class="plot"
      viewBox={`0 0 ${size.width} ${size.height}`}
      width={size.width}
      height={size.height}
      role="img"
      aria-labelledby={`${id}-title ${id}-description`}
    >
      <title id={`${id}-title`}>{title}</title>
      <desc id={`${id}-description`}>{description}</desc>
      <g dangerouslySetInnerHTML={{ __html: markup }} />
    </svg>
  );
}

const MOST_DAYS = 31;
const FEWEST_DAYS = 5;
const MOST_ROWS = 120;

interface IntervalTableProps {
  title: string;
  series: readonly Series[];
  /** The name of the figure, such as `Conversion rate`. */
  figure: string;
  /** Formats a figure. If a range is given, the formatted figure stays within the formatted range. */
  formatValue: (value: number, range?: readonly number[]) => string;
  formatRange: (range: readonly [number, number]) => string;
}

/** The figures in a plot, as a table. For a long period, only every n-th day is shown, counted back from the last. */
function IntervalTable({ title, series, figure, formatValue, formatRange }: IntervalTableProps) {
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

/** The reference series comes first, if there is one. */
interface IntervalFigureProps extends IntervalTableProps {
  /** Unique on the page. */
  id: string;
  /** An explanation of the plot in one or two sentences. */
  explanation: string;
  looks: ReadonlyMap<number, SeriesLook>;
  hasZero: boolean;
  formatTick: TickFormat;
}

/**
 * Lines with intervals over a number of days: one plot, or one per series if there are many. A table with the figures
 * follows.
 */
export function IntervalFigure(props: IntervalFigureProps) {
  const { id, title, explanation, series } = props;
  return (
    <figure class="plot-figure" aria-labelledby={`${id}-heading`}>
      <figcaption>
        <h3 id={`${id}-heading`}>{title}</h3>
        {hasFigures(series) && <p class="small muted">{explanation}</p>}
      </figcaption>
      {isCrowded(series) ? <Panels {...props} /> : <Overlaid {...props} />}
      <IntervalTable {...props} />
    </figure>
  );
}

function Overlaid({ id, title, series, looks, ...options }: IntervalFigureProps) {
  const { hasZero, formatTick: format } = options;
  const plot = drawIntervals(series, { size: SINGLE, looks, hasZero, format });
  return plot === null ? (
    <p class="muted">Nothing to draw yet.</p>
  ) : (
    <>
      <Legend series={series} looks={looks} />
      <div class="plot-frame">
        <PlotImage
          id={id}
          title={title}
          description={describeSeries(series, options.formatValue)}
          plot={plot}
        />
        <PlotReadings title={title} series={series} plot={plot} {...options} />
      </div>
    </>
  );
}

function Legend({ series, looks }: Pick<IntervalFigureProps, 'series' | 'looks'>) {
  return (
    <ul class="legend">
      {series.map(({ id, name }) => (
        <li key={id}>
          <LegendEntry name={name} look={looks.get(id)} />
        </li>
      ))}
    </ul>
  );
}

/** One small plot per series. Each plot also shows the reference series, and all plots have the same axes. */
function Panels(props: IntervalFigureProps) {
  const { series, looks, hasZero } = props;
  const domain = valueDomain(series, hasZero ? [0] : []);
  const reference = series.filter(({ isReference }) => isReference);
  const compared = series.filter(({ isReference }) => !isReference);
  return (
    <>
      {reference.length > 0 && <Legend series={reference} looks={looks} />}
      <ul class="panels">
        {compared.map((one) => (
          <li key={one.id} class="panel">
            <p class="panel-name">
              <LegendEntry name={one.name} look={looks.get(one.id)} />
            </p>
            <PanelPlot {...props} series={[...reference, one]} of={one} domain={domain} />
          </li>
        ))}
      </ul>
    </>
  );
}

interface PanelPlotProps extends IntervalFigureProps {
  of: Series;
  domain: [number, number];
}

function PanelPlot({ id, title, series, of, ...options }: PanelPlotProps) {
  const plot = drawIntervals(series, { ...options, size: MULTIPLE, format: options.formatTick });
  return plot === null ? (
    <p class="muted small">Nothing to draw yet.</p>
  ) : (
    <div class="plot-frame">
      <PlotImage
        id={`${id}-${of.id}`}
        title={`${title}: ${shortName(of.name)}`}
        description={describeSeries(series, options.formatValue)}
        plot={plot}
      />
      <PlotReadings title={`${title}: ${shortName(of.name)}`} series={series} plot={plot} {...options} />
    </div>
  );
}
