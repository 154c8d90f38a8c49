import { DAY_MS } from '../../common/time/days';
import { timeAxis, valueDomain, withinSight } from './axes';
import { cutAtFrame } from './cut';
import type { Drawing, DrawnElement, Mark, PlotLibrary } from './drawing';
import { hasFigures, Point, Series, SeriesLook, thinned } from './series';

const MOST_POINTS = 120;
/** Left of the plot, enough for labels of so many characters. */
const MARGIN = 58;
const MARGIN_CHARACTERS = 6;
/** The width of a character where text is largest beside its plot. */
const CHARACTER = 11;
const LONG_NUMBER = /-?\d+\.\d{3,}/g;

export interface PlotSize {
  width: number;
  height: number;
  /** How many days the axis names at most. */
  days: number;
}

/** For one plot that has the width of the page or half of it; its text grows where the page is narrow. */
export const SINGLE: PlotSize = { width: 400, height: 250, days: 4 };
/** For many plots side by side. */
export const MULTIPLE: PlotSize = { width: 300, height: 170, days: 3 };

export interface PlotOptions {
  size: PlotSize;
  looks: ReadonlyMap<number, SeriesLook>;
  /** Writes a value on the axis. */
  format: (value: number) => string;
  /** Is there a line at zero, which divides better from worse? */
  hasZero: boolean;
  /** The range of values; by default that of the series. Plots beside each other share one. */
  domain?: [number, number];
}

/** The inside of an SVG image. */
export interface DrawnPlot {
  size: PlotSize;
  markup: string;
}

interface Row {
  date: Date;
  value: number | null;
  lower: number | null;
  upper: number | null;
}

/** Draws lines over days with their intervals; null when there is nothing to draw. */
export function drawIntervals(
  { plot, document }: Drawing,
  series: readonly Series[],
  options: PlotOptions,
): DrawnPlot | null {
  const days = series.flatMap(({ points }) => points.map(({ day }) => day));
  if (!hasFigures(series)) {
    return null;
  }
  const { size, format, hasZero } = options;
  const first = days.reduce((a, b) => Math.min(a, b));
  const last = days.reduce((a, b) => Math.max(a, b));
  const time = timeAxis(first, last, size.days);
  const domain = options.domain ?? valueDomain(series, hasZero ? [0] : []);
  const draw = (marginLeft: number): DrawnElement =>
    plot.plot({
      document,
      className: 'plot',
      width: size.width,
      height: size.height,
      marginLeft,
      marginRight: 24,
      marginTop: 14,
      marginBottom: 34,
      x: {
        type: 'utc',
        domain: time.domain.map(dateOf),
        ticks: time.ticks.map(dateOf),
        tickFormat: (date: Date) => time.format(date.getTime() / DAY_MS),
        tickSize: 4,
        label: null,
      },
      y: { domain, ticks: 5, tickFormat: format, tickSize: 0, grid: true, label: null },
      marks: [
        ...(hasZero
          ? [plot.ruleY([0] as unknown as object[], { stroke: 'var(--zero)', strokeWidth: 1.5 })]
          : []),
        ...marksOf(plot, series, options.looks, domain),
      ],
    });
  const drawn = draw(MARGIN);
  const extra = extraMargin(drawn);
  return { size, markup: cleaned(extra === 0 ? drawn : draw(MARGIN + extra)) };
}

/** How much more room the longest label needs, which is known only when the library has chosen the ticks. */
function extraMargin(drawn: DrawnElement): number {
  const lengths = [...drawn.querySelectorAll('text')].map(({ textContent }) => (textContent ?? '').length);
  return Math.max(0, ...lengths.map((length) => length - MARGIN_CHARACTERS)) * CHARACTER;
}

/** Intervals first, so that no line is covered by the interval of another. */
function marksOf(
  plot: PlotLibrary,
  series: readonly Series[],
  looks: ReadonlyMap<number, SeriesLook>,
  domain: readonly [number, number],
): Mark[] {
  const layers = series.map(({ id, points }) => ({
    look: looks.get(id),
    rows: thinned(points, MOST_POINTS).map((point) => rowOf(point, domain)),
  }));
  const opacity = layers.length > 2 ? 0.09 : 0.14;
  return [
    ...layers.map(({ look, rows }) => intervalMark(plot, rows, look?.color ?? 'currentColor', opacity)),
    ...layers.flatMap(({ look, rows }) => lineMarks(plot, rows, look)),
  ];
}

/** An area of one day would have no width. */
function intervalMark(plot: PlotLibrary, rows: Row[], color: string, opacity: number): Mark {
  const ends = { x: 'date', y1: 'lower', y2: 'upper', stroke: color, render: cutAtFrame };
  return rows.length === 1
    ? plot.ruleX(rows, { ...ends, strokeWidth: 8, strokeOpacity: opacity * 2 })
    : plot.areaY(rows, { ...ends, strokeOpacity: opacity * 3, fill: color, fillOpacity: opacity });
}

function lineMarks(plot: PlotLibrary, rows: Row[], look: SeriesLook | undefined): Mark[] {
  const stroke = look?.color ?? 'currentColor';
  const dashes = look?.dashes == null ? {} : { strokeDasharray: look.dashes };
  const last = rows.filter(({ value }) => value !== null).slice(-1);
  return [
    plot.lineY(rows, { x: 'date', y: 'value', stroke, strokeWidth: 2.5, render: cutAtFrame, ...dashes }),
    plot.dot(last, {
      x: 'date',
      y: 'value',
      symbol: look?.symbol ?? 'circle',
      r: 5,
      fill: stroke,
      stroke: 'var(--surface)',
      strokeWidth: 1.5,
    }),
  ];
}

const dateOf = (day: number): Date => new Date(day * DAY_MS);

function rowOf({ day, value, interval }: Point, domain: readonly [number, number]): Row {
  const shown = (one: number | undefined | null): number | null =>
    one == null ? null : withinSight(one, domain);
  return { date: dateOf(day), value: shown(value), lower: shown(interval?.[0]), upper: shown(interval?.[1]) };
}

/** Without what a strict policy forbids or an image does not need, and no more precise than eyes are. */
function cleaned(svg: DrawnElement): string {
  for (const style of svg.querySelectorAll('style')) {
    style.remove();
  }
  for (const element of svg.querySelectorAll('*')) {
    for (const name of element.getAttributeNames()) {
      if (name === 'style' || name.startsWith('aria-')) {
        element.removeAttribute(name);
      }
    }
  }
  return svg.innerHTML.replace(LONG_NUMBER, (number) => String(Math.round(Number(number) * 10) / 10));
}
