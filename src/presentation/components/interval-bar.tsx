interface IntervalBarProps {
  value: number;
  /** Null if unknown, in which case only the change is shown. */
  interval: readonly [lower: number, upper: number] | null;
  /** The value range that the full width represents, which must be the same for all bars that are compared. */
  domain: readonly [lower: number, upper: number];
  color: string;
}

const WIDTH = 160;
const HEIGHT = 14;
const EDGE = 6;

/**
 * A bar with a change and its interval, relative to zero, for a table cell. The figures are next to the bar, so the bar
 * needs no accessible name.
 */
export function IntervalBar({ value, interval, domain, color }: IntervalBarProps) {
  const place = (at: number): number => {
    const part = (at - domain[0]) / (domain[1] - domain[0]);
    return Math.round((EDGE + Math.min(1, Math.max(0, part)) * (WIDTH - 2 * EDGE)) * 10) / 10;
  };
  const middle = HEIGHT / 2;
  return (
    <svg class="bar" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true" focusable="false">
      <path d={`M0 ${middle}H${WIDTH}`} />
      <path d={`M${place(0)} 0V${HEIGHT}`} />
      {interval !== null && (
        <path class="reach" d={`M${place(interval[0])} ${middle}H${place(interval[1])}`} stroke={color} />
      )}
      <circle cx={place(value)} cy={middle} r="4" fill={color} />
    </svg>
  );
}

/** A range around zero that contains all changes and interval ends. */
export function barDomain(values: readonly number[]): [number, number] {
  const [lowest, highest] = [Math.min(0, ...values), Math.max(0, ...values)];
  return lowest === highest ? [-1, 1] : [lowest, highest];
}
