import type { Day } from '../../common/time/clock';
import { roundTicks, timeAxis, TimeAxis, valueDomain, withinSight } from './axes';
import { hasFigures, Series, SeriesLook, thinned } from './series';

/** A point in an image. */
type Place = readonly [x: number, y: number];

/** The symbols of series, centred and of equal area. */
const SYMBOLS: Record<SeriesLook['symbol'], string> = {
  circle: 'M5,0A5,5,0,1,1,-5,0A5,5,0,1,1,5,0Z',
  square: 'M-4.4,-4.4h8.9v8.9h-8.9Z',
  triangle: 'M0,-7.8L6.7,3.9L-6.7,3.9Z',
  diamond: 'M0,-8.2L4.8,0L0,8.2L-4.8,0Z',
  cross: 'M-2,-6h4v4h4v4h-4v4h-4v-4h-4v-4h4Z',
  nabla: 'M0,7.8L-6.7,-3.9L6.7,-3.9Z',
  star: 'M0,-8L1.8,-2.5L7.6,-2.5L2.9,0.9L4.7,6.5L0,3.1L-4.7,6.5L-2.9,0.9L-7.6,-2.5L-1.8,-2.5Z',
  wye: 'M2.4,1.4L2.4,6.2L-2.4,6.2L-2.4,1.4L-6.5,-1L-4.1,-5.2L0,-2.8L4.1,-5.2L6.5,-1Z',
};

/** A coordinate, rounded to the visible precision. */
const tenths = (value: number): number => Math.round(value * 10) / 10;

/**
 * A line through the points, with a gap at each null. If line ends are round, a point between two gaps appears as a
 * dot.
 */
const linePath = (places: readonly (Place | null)[]): string =>
  unbroken(places)
    .map((run) => (run.length === 1 ? `M${run[0].join()}Z` : through(run)))
    .join('');

/** The area between the lower and the upper ends, with a gap at each null. */
const areaPath = (ends: readonly (readonly [lower: Place, upper: Place] | null)[]): string =>
  unbroken(ends)
    .map((run) => `${through([...run.map(([, upper]) => upper), ...run.map(([lower]) => lower).reverse()])}Z`)
    .join('');

const through = (places: readonly Place[]): string => `M${places.map((place) => place.join()).join('L')}`;

/** The runs of consecutive entries between nulls. */
function unbroken<T>(entries: readonly (T | null)[]): T[][] {
  const runs: T[][] = [];
  let open: T[] | null = null;
  for (const entry of entries) {
    if (entry === null) {
      open = null;
    } else if (open === null) {
      open = [entry];
      runs.push(open);
    } else {
      open.push(entry);
    }
  }
  return runs;
}

const MOST_POINTS = 120;
const VALUE_TICKS = 5;
/** Left margin, wide enough for labels with this number of characters. */
const MARGIN = 58;
const MARGIN_CHARACTERS = 6;
const MARGIN_RIGHT = 24;
const MARGIN_TOP = 14;
const MARGIN_BOTTOM = 34;
/** Maximum width of a character, in plot units. */
const CHARACTER = 11;
const TICK = 4;
/** Gap between the frame and its labels. */
const LABEL_GAP = 9;

export interface PlotSize {
  width: number;
  height: number;
  /** Maximum number of labelled days. */
  days: number;
  /** Maximum number of days with readable figures. */
  readings: number;
}

/** For a single plot that is as wide as the page or half the page. On narrow pages, its text is larger. */
export const SINGLE: PlotSize = { width: 400, height: 250, days: 4, readings: 14 };
/** For many plots side by side. */
export const MULTIPLE: PlotSize = { width: 300, height: 170, days: 3, readings: 7 };

/** Formats a value on the axis, with the distance between the ticks, so that their labels differ. */
export type TickFormat = (value: number, step: number) => string;

export interface PlotOptions {
  size: PlotSize;
  looks: ReadonlyMap<number, SeriesLook>;
  format: TickFormat;
  /** Whether there is a zero line between better and worse. */
  hasZero: boolean;
  /** The range of values; the range of the series by default. Adjacent plots share a range. */
  domain?: [number, number];
}

/** The contents of an SVG image. */
export interface DrawnPlot {
  size: PlotSize;
  markup: string;
  /** The horizontal positions of selected days, including the last one. */
  readings: Reading[];
}

/** A day whose figures the plot can show. */
export interface Reading {
  day: Day;
  x: number;
}

/** The scales for days and values. */
interface Frame {
  size: PlotSize;
  left: number;
  right: number;
  bottom: number;
  x: (day: Day) => number;
  y: (value: number) => number;
}

/** A series and the positions of its points. */
interface Layer {
  look: SeriesLook | undefined;
  /** Null if there is no figure. */
  line: (Place | null)[];
  /** The ends of the intervals; null if there is no interval. */
  intervals: ([lower: Place, upper: Place] | null)[];
}

/** Draws lines with intervals over a number of days; null if there are no figures. */
export function drawIntervals(series: readonly Series[], options: PlotOptions): DrawnPlot | null {
  if (!hasFigures(series)) {
    return null;
  }
  const { size, format, hasZero, looks } = options;
  const days = series.flatMap(({ points }) => points.map(({ day }) => day));
  const first = days.reduce((a, b) => Math.min(a, b));
  const last = days.reduce((a, b) => Math.max(a, b));
  const time = timeAxis(first, last, size.days);
  const domain = options.domain ?? valueDomain(series, hasZero ? [0] : []);
  const ticks = labelled(roundTicks(domain, VALUE_TICKS), format);
  const frame = frameOf(size, time, domain, extraMargin(ticks));
  const layers = series.map((one) => layerOf(one, looks.get(one.id), frame, domain));
  const opacity = layers.length > 2 ? 0.09 : 0.14;
  const markup = [
    valueAxis(frame, ticks),
    dayAxis(frame, time),
    hasZero ? zeroLine(frame) : '',
    cut(frame, layers.map((layer) => interval(layer, opacity)).join('')),
    cut(frame, layers.map(line).join('')),
    ...layers.map(lastDot),
  ].join('');
  const shown = [...new Set(days)].sort((a, b) => a - b);
  const readings = thinned(shown, size.readings).map((day) => ({ day, x: frame.x(day) }));
  return { size, markup, readings };
}

interface Tick {
  value: number;
  label: string;
}

/** Adds labels to ticks that are the same distance apart. */
function labelled(ticks: readonly number[], format: TickFormat): Tick[] {
  const [first, second = 2 * first] = ticks;
  return ticks.map((value) => ({ value, label: format(value, Math.abs(second - first) || 1) }));
}

/** Additional left margin for the longest label. */
const extraMargin = (ticks: readonly Tick[]): number =>
  Math.max(0, ...ticks.map(({ label }) => label.length - MARGIN_CHARACTERS)) * CHARACTER;

function frameOf(
  size: PlotSize,
  { domain: [first, last] }: TimeAxis,
  [lowest, highest]: readonly [number, number],
  extra: number,
): Frame {
  const [left, right, bottom] = [MARGIN + extra, size.width - MARGIN_RIGHT, size.height - MARGIN_BOTTOM];
  return {
    size,
    left,
    right,
    bottom,
    x: (day) => tenths(left + ((day - first) / (last - first)) * (right - left)),
    y: (value) => tenths(bottom - ((value - lowest) / (highest - lowest)) * (bottom - MARGIN_TOP)),
  };
}

function layerOf(
  { points }: Series,
  look: SeriesLook | undefined,
  { x, y }: Frame,
  domain: readonly [number, number],
): Layer {
  const shown = thinned(points, MOST_POINTS);
  const at = (day: Day, value: number): Place => [x(day), y(withinSight(value, domain))];
  return {
    look,
    line: shown.map(({ day, value }) => (value === null ? null : at(day, value))),
    intervals: shown.map(({ day, interval: ends }) =>
      ends === null ? null : [at(day, ends[0]), at(day, ends[1])],
    ),
  };
}

function valueAxis({ left, right, y }: Frame, ticks: readonly Tick[]): string {
  const lines = ticks.map(
    ({ value }) => `<line x1="${left}" x2="${right}" y1="${y(value)}" y2="${y(value)}"/>`,
  );
  const labels = ticks.map(
    ({ value, label }) =>
      `<text x="${left - LABEL_GAP}" y="${y(value)}" dy="0.32em">${escaped(label)}</text>`,
  );
  return `<g stroke="currentColor" stroke-opacity="0.1">${lines.join('')}</g><g text-anchor="end" font-variant="tabular-nums">${labels.join('')}</g>`;
}

function dayAxis({ bottom, x }: Frame, { ticks, format }: TimeAxis): string {
  const marks = ticks.map((day) => `M${x(day)},${bottom}v${TICK}`);
  const labels = ticks.map(
    (day) => `<text x="${x(day)}" y="${bottom + LABEL_GAP}" dy="0.71em">${escaped(format(day))}</text>`,
  );
  return `<path d="${marks.join('')}" fill="none" stroke="currentColor"/><g font-variant="tabular-nums">${labels.join('')}</g>`;
}

const zeroLine = ({ left, right, y }: Frame): string =>
  `<path d="M${left},${y(0)}H${right}" stroke="var(--zero)" stroke-width="1.5"/>`;

/**
 * Clips marks at the frame with a nested SVG. A clip path would need an id that is unique on the page, and not all
 * viewers support references to clip paths.
 */
function cut({ size: { width }, bottom }: Frame, marks: string): string {
  const height = bottom - MARGIN_TOP;
  return `<svg y="${MARGIN_TOP}" width="${width}" height="${height}" viewBox="0 ${MARGIN_TOP} ${width} ${height}" overflow="hidden">${marks}</svg>`;
}

const colourOf = (look: SeriesLook | undefined): string => look?.color ?? 'currentColor';

/** Draws an interval. For a single day, an area would have no width, so the interval is a thick line. */
function interval({ look, intervals }: Layer, opacity: number): string {
  const colour = colourOf(look);
  const [ends] = intervals;
  if (intervals.length === 1) {
    return ends == null
      ? ''
      : `<path d="M${ends[0].join()}L${ends[1].join()}" stroke="${colour}" stroke-width="8" stroke-opacity="${round(2 * opacity)}"/>`;
  }
  const path = areaPath(intervals);
  const style = `fill="${colour}" fill-opacity="${opacity}" stroke="${colour}" stroke-opacity="${round(3 * opacity)}"`;
  return path === '' ? '' : `<g ${style} stroke-linejoin="round"><path d="${path}"/></g>`;
}

function line({ look, line: places }: Layer): string {
  const path = linePath(places);
  const dashes = look?.dashes == null ? '' : ` stroke-dasharray="${look.dashes}"`;
  return path === ''
    ? ''
    : `<path d="${path}" fill="none" stroke="${colourOf(look)}" stroke-width="2.5" stroke-linejoin="round" stroke-linecap="round"${dashes}/>`;
}

/** The symbol of a series at its last point. */
function lastDot({ look, line: places }: Layer): string {
  const last = places.filter((place) => place !== null).at(-1);
  return last === undefined
    ? ''
    : `<path transform="translate(${last.join()})" d="${SYMBOLS[look?.symbol ?? 'circle']}" fill="${colourOf(look)}" stroke="var(--surface)" stroke-width="1.5"/>`;
}

const round = (opacity: number): number => Math.round(opacity * 100) / 100;

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
