import { plainName } from '../text/names';
import { formatMoment } from '../text/dates';

/** A name that somebody chose: in its own direction, broken where it is too long for its place. */
export function Name({ children }: { children: string }) {
  return <bdi class="name">{plainName(children)}</bdi>;
}

/** A moment, from an ISO 8601 timestamp. */
export function Moment({ at }: { at: string }) {
  return <time datetime={at}>{formatMoment(Date.parse(at) * 1000)}</time>;
}

/** In place of a figure that is not there, with the reason for who cannot see the dash. */
export function None({ reason = 'none' }: { reason?: string }) {
  return (
    <span class="muted">
      <span aria-hidden="true">–</span>
      <span class="visually-hidden">{reason}</span>
    </span>
  );
}

interface RangeProps {
  /** Null where nothing is known about how uncertain the figure is. */
  range: readonly [lower: number, upper: number] | null;
  format: (range: readonly [number, number]) => string;
}

/** The range of a figure, or a dash while there is none. */
export function Range({ range, format }: RangeProps) {
  return range === null ? <None reason="range not known yet" /> : <>{format(range)}</>;
}
