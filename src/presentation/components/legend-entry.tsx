import type { SeriesLook } from '../plots/series';
import { Name } from './name';
import { Swatch } from './swatch';

/** A variation with the line and symbol that stand for it in the plots. */
export function LegendEntry({ name, look }: { name: string; look: SeriesLook | undefined }) {
  return (
    <span class="variation">
      {look !== undefined && <Swatch look={look} />}
      <Name>{name}</Name>
    </span>
  );
}
