import type { Day } from '../../common/time/clock';
import type { DrawnPlot } from '../plots/interval-plot';
import { type Series, thinned } from '../plots/series';
import { formatLongDay } from '../text/dates';
import { shortName } from '../text/words';

/** Stops of the Tab key in each plot; the table has all figures. */
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

/** A layer over a plot with the figures of its days, shown under the pointer and on keyboard focus. */
export function PlotReadings({ title, series, plot, ...formats }: PlotReadingsProps) {
  const { size, readings } = plot;
  const stops = new Set(thinned(readings, MAX_STOPS));
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
        const words = [formatLongDay(reading.day), ...wordsOf(series, reading.day, formats)];
        const isRight = reading.x > size.width / 2;
        return (
          <g
            key={reading.day}
            class="reading"
            role="group"
            aria-label={words.join('. ')}
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
              {words.map((line, row) => (
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

function wordsOf(
  series: readonly Series[],
  day: Day,
  { formatValue, formatRange }: Pick<PlotReadingsProps, 'formatValue' | 'formatRange'>,
): string[] {
  return series.flatMap(({ name, points }) => {
    const { value = null, interval = null } = points.find((point) => point.day === day) ?? {};
    const range = interval === null ? '' : ` (${formatRange(interval)})`;
    return value === null
      ? []
      : [`${shortName(name, NAME_LENGTH)} ${formatValue(value, interval ?? [])}${range}`];
  });
}
