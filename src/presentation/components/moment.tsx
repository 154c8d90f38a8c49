import { formatMoment } from '../text/dates';

/** A moment, from an ISO 8601 timestamp. */
export function Moment({ at }: { at: string }) {
  return <time datetime={at}>{formatMoment(Date.parse(at) * 1000)}</time>;
}
