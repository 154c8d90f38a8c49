import { None } from './none';

interface RangeProps {
  /** Null where nothing is known about how uncertain the figure is. */
  range: readonly [lower: number, upper: number] | null;
  format: (range: readonly [number, number]) => string;
}

/** The range of a figure, or a dash while there is none. */
export function Range({ range, format }: RangeProps) {
  return range === null ? <None reason="range not known yet" /> : <>{format(range)}</>;
}
