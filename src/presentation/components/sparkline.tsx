import { valueDomain, withinSight } from '../plots/axes';
import { Series, SeriesLook, thinned } from '../plots/series';

const WIDTH = 144;
const HEIGHT = 40;
/** Space for the dots at the line ends. */
const EDGE = 4;
const MOST_POINTS = 60;

interface SparklineProps {
  /** The accessible name. */
  title: string;
  series: readonly Series[];
  looks: ReadonlyMap<number, SeriesLook>;
}

interface Place {
  x: number;
  y: number;
}

/** A sparkline for a table cell: lines over days, without axes, clipped at the edges. Empty if there are no figures. */
export function Sparkline({ title, series, looks }: SparklineProps) {
  const lines = placesOf(series).filter(({ places }) => places.length > 0);
  return lines.length === 0 ? null : (
    <svg class="sparkline" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={title}>
      {lines.map(({ id, places }) => (
        <Line key={id} places={places} look={looks.get(id)} />
      ))}
    </svg>
  );
}

function Line({ places, look }: { places: readonly Place[]; look: SeriesLook | undefined }) {
  const color = look?.color ?? 'currentColor';
  const last = places.at(-1);
  return (
    <>
      <path
        d={`M${places.map(({ x, y }) => `${x} ${y}`).join('L')}`}
        fill="none"
        stroke={color}
        stroke-width="2"
        stroke-linejoin="round"
        {...(look?.dashes == null ? {} : { 'stroke-dasharray': look.dashes })}
      />
      {last !== undefined && <circle cx={last.x} cy={last.y} r="3" fill={color} />}
    </>
  );
}

/** The points of each series. Days without a figure are omitted. */
export function placesOf(series: readonly Series[]): { id: number; places: Place[] }[] {
  const known = series.map(({ id, points }) => ({
    id,
    points: points.flatMap(({ day, value }) => (value === null ? [] : [{ day, value, interval: null }])),
  }));
  const days = known.flatMap(({ points }) => points.map(({ day }) => day));
  const first = days.reduce((a, b) => Math.min(a, b), Infinity);
  const last = days.reduce((a, b) => Math.max(a, b), -Infinity);
  const domain = valueDomain(
    known.map((one) => ({ ...one, name: '', isReference: false })),
    [],
  );
  const [lowest, highest] = domain;
  return known.map(({ id, points }) => ({
    id,
    places: thinned(points, MOST_POINTS).map(({ day, value }) => ({
      x: along(first === last ? 0.5 : (day - first) / (last - first), WIDTH),
      y: along(1 - (withinSight(value, domain) - lowest) / (highest - lowest), HEIGHT),
    })),
  }));
}

/** A position between the edges, rounded to visible precision. */
const along = (part: number, length: number): number =>
  Math.round((EDGE + part * (length - 2 * EDGE)) * 10) / 10;
