const WIDTH = 160;
const HEIGHT = 14;

/** A share as a bar for a table cell. The figure is next to it, so it needs no accessible name. */
export function ShareBar({ share, color }: { share: number; color: string }) {
  const filled = Math.round(share * WIDTH * 10) / 10;
  return (
    <svg class="bar" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true" focusable="false">
      <rect y="4" width={WIDTH} height="6" rx="3" fill="var(--grid)" />
      {filled > 0 && <rect y="4" width={filled} height="6" rx={Math.min(3, filled / 2)} fill={color} />}
    </svg>
  );
}
