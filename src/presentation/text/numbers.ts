/* Formats figures for people. Programs get exact numbers as JSON. */

const MINUS = '−';
/** A narrow no-break space, used between groups of digits and before the percent sign. */
const THIN = '\u202f';
const MAX_DECIMALS = 6;
/** Maximum number of decimal places. Further digits are floating-point noise. */
const MOST_DECIMALS = 12;
/** The limit of `Intl.NumberFormat` in older versions of Node.js. */
const MOST_FORMATTED = 20;
const REPRESENTATION_ERROR = 1e-12;
/** Ticks from this size on are written with a unit, such as K for thousands. */
const LEAST_COMPACT = 100_000;
/** The units of compact notation: T, B, M and K. */
const COMPACT_UNITS = [1e12, 1e9, 1e6, 1e3];
/** Rates, in percent, that are shown only if they are exact. */
const RATE_LIMITS = [0, 100];
/** Changes, in percent, that are shown only if they are exact: no change and a complete loss. */
const CHANGE_LIMITS = [0, -100];

const formatters = new Map<string, Intl.NumberFormat>();

function format(value: number, options: Intl.NumberFormatOptions): string {
  const key = JSON.stringify(options);
  const formatter = formatters.get(key) ?? new Intl.NumberFormat('en', options);
  formatters.set(key, formatter);
  return formatter.format(value).replaceAll(',', THIN).replaceAll('-', MINUS);
}

function withDecimals(value: number, wanted: number): string {
  const decimals = Math.min(MOST_FORMATTED, wanted);
  // Otherwise, a loss that rounds to zero would be written as −0.
  const isNothing = Math.abs(value) < 0.5 * 10 ** -decimals;
  const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
  return format(isNothing ? 0 : value, digits);
}

/** The number of decimal places needed to show a range of this width with two significant digits. */
function decimalsFor(width: number): number {
  const decimals = width > 0 ? 1 - Math.floor(Math.log10(width)) : 2;
  return Math.min(MAX_DECIMALS, Math.max(0, decimals));
}

/** The number of decimal places needed to keep a value distinct from the other values and in the same order. */
function decimalsApart(value: number, others: readonly number[]): number {
  const distances = others.map((other) => Math.abs(value - other)).filter((distance) => distance > 0);
  const decimals = -Math.floor(Math.log10(Math.min(1, ...distances)));
  return Math.min(MOST_DECIMALS, decimals);
}

const inPercent = (fractions: readonly number[]): number[] => fractions.map((fraction) => fraction * 100);

/** Rounds outwards, so the rounded range contains the exact one. */
function outwards(value: number, decimals: number, round: (value: number) => number): number {
  const unit = 10 ** decimals;
  const nearest = Math.round(value * unit);
  const isExact = Math.abs(value * unit - nearest) < REPRESENTATION_ERROR * Math.max(1, Math.abs(nearest));
  return (isExact ? nearest : round(value * unit)) / unit;
}

/** A range, rounded to two significant digits of its width, or to more digits if an end would round to a limit. */
function ends(
  [lower, upper]: readonly [number, number],
  limits: readonly number[],
  write: (value: number, decimals: number) => string,
): string {
  const decimals = decimalsFor(upper - lower);
  const end = (value: number, round: (value: number) => number): string => {
    const enough = Math.max(decimals, decimalsApart(value, limits));
    return write(outwards(value, enough, round), enough);
  };
  return `${end(lower, Math.floor)} to ${end(upper, Math.ceil)}`;
}

/** `10 240` */
export const formatCount = (count: number): string => format(count, { maximumFractionDigits: 0 });

/**
 * A percentage with three significant digits: `8.05 %`, `0.512 %`, `100 %`. It has more digits if it would otherwise
 * round to 0 or 100 %, or to a value that is shown with it, such as an end of its range.
 */
export function formatPercent(fraction: number, others: readonly number[] = []): string {
  const percent = fraction * 100;
  if (RATE_LIMITS.includes(percent)) {
    return `${format(percent, {})}${THIN}%`;
  }
  const apart = decimalsApart(percent, [...RATE_LIMITS, ...inPercent(others)]);
  const usual = 2 - Math.floor(Math.log10(Math.abs(percent)));
  return `${withDecimals(percent, Math.max(0, usual, apart))}${THIN}%`;
}

/** A share of a whole: `50.0 %` */
export function formatShare(fraction: number): string {
  const percent = fraction * 100;
  return `${withDecimals(percent, Math.max(1, decimalsApart(percent, RATE_LIMITS)))}${THIN}%`;
}

/** A configured share, to the hundredth of a percent: `20 %`, `33.33 %`. */
export const formatExactShare = (fraction: number): string =>
  `${format(fraction * 100, { maximumFractionDigits: 2 })}${THIN}%`;

/** A configured change, to the hundredth of a percent, with its sign: `+2.25 %`, `−5 %` */
export const formatExactChange = (fraction: number): string =>
  `${fraction > 0 ? '+' : ''}${formatExactShare(fraction)}`;

/** A confidence level such as 0.95: `95 %`, `99.99 %`. */
export const formatCertainty = formatExactShare;

/** A value in the goal's own unit: `18.76`, `96 068.50`, `0.00123`. Adds digits like `formatPercent`. */
export function formatValue(value: number, others: readonly number[] = []): string {
  const apart = decimalsApart(value, others);
  const size = Math.abs(value);
  const usual = size > 0 && size < 0.1 ? 2 - Math.floor(Math.log10(size)) : 2;
  return apart <= usual && usual > 2
    ? format(value, { maximumSignificantDigits: 3 })
    : withDecimals(value, Math.max(usual, apart));
}

/** A configured value, to four decimal places: `49.5`, `500` */
export const formatExactValue = (value: number): string => format(value, { maximumFractionDigits: 4 });

/** A relative change, with its sign: `+7.3 %`. Adds digits like `formatPercent`. */
export function formatChange(fraction: number, others: readonly number[] = []): string {
  const percent = fraction * 100;
  const size = Math.abs(percent);
  const usual = size >= 100 ? 0 : size >= 0.1 || size === 0 ? 1 : 3;
  const apart = decimalsApart(percent, [...CHANGE_LIMITS, ...inPercent(others)]);
  return `${signed(percent, Math.max(usual, apart))}${THIN}%`;
}

/** The size of a relative change, without its sign: `7.3 %` */
export const formatSize = (fraction: number): string => formatChange(fraction).replace(/^[+−]/, '');

/** `6.8 % to 9.3 %` */
export const formatPercentRange = ([lower, upper]: readonly [number, number]): string =>
  ends(
    [lower * 100, upper * 100],
    RATE_LIMITS,
    (value, decimals) => `${withDecimals(value, decimals)}${THIN}%`,
  );

/** `−7 % to +22 %` */
export const formatChangeRange = ([lower, upper]: readonly [number, number]): string =>
  ends([lower * 100, upper * 100], CHANGE_LIMITS, (value, decimals) => `${signed(value, decimals)}${THIN}%`);

/** `17.9 to 19.6` */
export const formatValueRange = (range: readonly [number, number]): string => ends(range, [], withDecimals);

/** A value, range or tick with its currency: `18.76 EUR` */
export const withCurrency = (text: string, currency: string | null): string =>
  currency === null ? text : `${text}\u00a0${currency}`;

function signed(value: number, decimals: number): string {
  const text = withDecimals(value, decimals);
  return value > 0 && /[1-9]/.test(text) ? `+${text}` : text;
}

/** The difference between two rates, with its sign: `+0.55 points`. Adds digits like `formatPercent`. */
export function formatPoints(fraction: number, others: readonly number[] = []): string {
  const points = fraction * 100;
  const apart = decimalsApart(points, [0, ...inPercent(others)]);
  return `${signed(points, Math.max(2, apart))} points`;
}

/** `−0.5 to +1.6 points` */
export const formatPointsRange = ([lower, upper]: readonly [number, number]): string =>
  `${ends([lower * 100, upper * 100], [0], signed)} points`;

/** The difference between two values, with its sign: `+0.31`. Adds digits like `formatPercent`. */
export const formatDifference = (value: number, others: readonly number[] = []): string =>
  signed(value, Math.max(2, decimalsApart(value, [0, ...others])));

/** `−1.3 to +1.9` */
export const formatDifferenceRange = (range: readonly [number, number]): string => ends(range, [0], signed);

/** The decimal places of multiples of a step, which is 1, 2 or 5 times a power of ten. */
const decimalsOfTicks = (step: number): number =>
  Math.min(MOST_FORMATTED, Math.max(0, Math.ceil(-Math.log10(step) - REPRESENTATION_ERROR)));

/** A percentage on an axis with this step between ticks, also as a fraction: `7.5 %` */
export const formatPercentTick = (fraction: number, step: number): string =>
  `${format(fraction * 100, { maximumFractionDigits: decimalsOfTicks(step * 100) })}${THIN}%`;

/** Like `formatPercentTick`, for changes: `+10 %` */
export const formatChangeTick = (fraction: number, step: number): string =>
  `${fraction > 0 ? '+' : ''}${formatPercentTick(fraction, step)}`;

/** A value on an axis with this step between ticks: `17.5`, `1.2M` */
export function formatValueTick(value: number, step: number): string {
  const size = Math.abs(value);
  if (size < LEAST_COMPACT) {
    return format(value, { maximumFractionDigits: decimalsOfTicks(step) });
  }
  const unit = COMPACT_UNITS.find((candidate) => size >= candidate) ?? 1;
  return format(value, { notation: 'compact', maximumFractionDigits: decimalsOfTicks(step / unit) });
}
