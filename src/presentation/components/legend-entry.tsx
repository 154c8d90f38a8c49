import type { SeriesLook } from '../plots/series';
import { Name } from './text';
import { Swatch } from './swatch';

/** A variation with its line and symbol in the plots. */
export function LegendEntry({ name, look }: { name: string; look: SeriesLook | undefined }) {
  return (
    <span class="variation">
      {look !== undefined && <Swatch look={look} />}
      <Name>{name}</Name>
    </span>
  );
}
