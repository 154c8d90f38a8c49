import type { SeriesLook } from '../plots/series';
import { Name } from './text';

const SHAPES: Record<SeriesLook['symbol'], string> = {
  circle: 'M21 7a5 5 0 1 1-10 0a5 5 0 1 1 10 0Z',
  square: 'M11.5 2.5h9v9h-9Z',
  triangle: 'M16 1.5l5.5 10h-11Z',
  diamond: 'M16 1l5 6l-5 6l-5-6Z',
  cross: 'M14 1h4v4h4v4h-4v4h-4v-4h-4v-4h4Z',
  nabla: 'M16 12.5l5.5-10h-11Z',
  star: 'M16 0l1.7 5l5.3 0l-4.3 3.1l1.6 5.2l-4.3-3.1l-4.3 3.1l1.6-5.2l-4.3-3.1l5.3 0Z',
  wye: 'M14 13v-4l-4-2.5l2-3l4 2.5l4-2.5l2 3l-4 2.5v4Z',
};

/** A variation's line and symbol in plots, shown next to its name. */
export function Swatch({ look }: { look: SeriesLook }) {
  return (
    <svg class="swatch" viewBox="0 0 32 14" width="32" height="14" aria-hidden="true" focusable="false">
      <path
        d="M1 7H31"
        fill="none"
        stroke={look.color}
        stroke-width="2.5"
        {...(look.dashes === null ? {} : { 'stroke-dasharray': look.dashes })}
      />
      <path d={SHAPES[look.symbol]} fill={look.color} stroke="var(--surface)" stroke-width="1.5" />
    </svg>
  );
}

/** A variation with its line and symbol in the plots. */
export function LegendEntry({ name, look }: { name: string; look: SeriesLook | undefined }) {
  return (
    <span class="variation">
      {look !== undefined && <Swatch look={look} />}
      <Name>{name}</Name>
    </span>
  );
}
