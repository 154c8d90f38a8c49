import { Day, formatDay } from '../../common/time/clock';
import { formatDayWithYear, formatMonth, formatShortDay } from '../text/dates';
import type { Point, Series } from './series';

/* Thresholds for dividing a power of ten by ten, five and two: the geometric means of neighbouring divisors. */
const TENTHS = Math.sqrt(50);
const FIFTHS = Math.sqrt(10);
const HALVES = Math.SQRT2;

/**
 * Round values within a range, ascending: multiples of 1, 2 or 5 times a power of ten, as close to the requested count
 * as possible. Uses d3's rule.
 * @param count at least 1
 */
export function roundTicks([lowest, highest]: readonly [number, number], count: number): number[] {
  const rough = (highest - lowest) / count;
  if (!(rough > 0) || !Number.isFinite(rough)) {
    return [lowest];
  }
  const power = Math.floor(Math.log10(rough));
  const error = rough / 10 ** power;
  const factor = error >= TENTHS ? 10 : error >= FIFTHS ? 5 : error >= HALVES ? 2 : 1;
  // This divides instead of multiplying by a fraction, because 3 / 10 is the number closest to 0.3, but 3 * 0.1 is not.
  const [times, divided] = power < 0 ? [1, 10 ** -power / factor] : [factor * 10 ** power, 1];
  const first = Math.ceil((lowest * divided) / times);
  const last = Math.floor((highest * divided) / times);
  return Array.from({ length: last - first + 1 }, (_, index) => ((first + index) * times) / divided);
}

const LONG_RANGE = 300;
const MARGIN = 0.06;
/**
 * The maximum distance of a value from the plot, in multiples of the plot height. Lines farther away are invisible, and
 * very long dashed lines render slowly.
 */
const FAR = 1000;

export interface TimeAxis {
  domain: [Day, Day];
  ticks: Day[];
  format: (day: Day) => string;
}

/** A time axis in days, with a maximum number of ticks starting at the first day. */
export function timeAxis(first: Day, last: Day, mostTicks: number): TimeAxis {
  const days = last - first;
  const step = Math.max(1, Math.ceil(days / (mostTicks - 1)));
  const ticks = Array.from({ length: Math.floor(days / step) + 1 }, (_, index) => first + index * step);
  const domain: [Day, Day] = days === 0 ? [first - 1, last + 1] : [first, last];
  return { domain, ticks, format: days > LONG_RANGE ? formatMonth : (day) => shortDay(day, first, last) };
}

/** The label for a day, with the year if the axis spans two years. */
function shortDay(day: Day, first: Day, last: Day): string {
  return yearOf(first) !== yearOf(last) ? formatDayWithYear(day) : formatShortDay(day);
}

const yearOf = (day: Day): string => formatDay(day).slice(0, 4);

/**
 * The value range of a plot, without the first third of the days. Those days have few participants and very wide
 * intervals, which would hide everything else. Their intervals may exceed the range, so the plot is clipped at its
 * frame.
 */
export function valueDomain(series: readonly Series[], within: readonly number[]): [number, number] {
  const points = series.flatMap(({ points }) => points.slice(Math.floor(points.length / 3)));
  const values = [...points.flatMap(valuesOf), ...within];
  if (values.length === 0) {
    return [0, 1];
  }
  const lowest = values.reduce((a, b) => Math.min(a, b));
  const highest = values.reduce((a, b) => Math.max(a, b));
  const margin = (highest - lowest) * MARGIN || Math.abs(highest) * 0.1 || 0.01;
  return [lowest - margin, highest + margin];
}

/** The value, clamped to a limit so far outside the plot that the visible part does not change. */
export function withinSight(value: number, [lowest, highest]: readonly [number, number]): number {
  const far = FAR * (highest - lowest);
  return Math.min(highest + far, Math.max(lowest - far, value));
}

function valuesOf({ value, interval }: Point): number[] {
  return [...(value === null ? [] : [value]), ...(interval ?? [])];
}
