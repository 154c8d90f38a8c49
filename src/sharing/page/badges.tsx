import type { Tone } from '../verdict-text';

const STATUS_NAMES: Readonly<Record<string, string>> = {
  draft: 'Draft',
  preview: 'Preview',
  running: 'Running',
  pause: 'Paused',
  archive: 'Ended',
};

/** The display name of a status. */
export const statusName = (status: string): string => STATUS_NAMES[status] ?? status;

/** A badge with the experiment status, or one that says that the result is final. */
export function StatusBadge({ status, isFinal = false }: { status: string; isFinal?: boolean }) {
  return <span class={`status status-${status}`}>{isFinal ? 'Final' : statusName(status)}</span>;
}

const CIRCLE = 'M12 2a10 10 0 1 1 0 20a10 10 0 1 1 0-20Z';

/** The icon for a tone, for readers who cannot distinguish colours. */
const SHAPES: Record<Tone, { ground: string; sign: string }> = {
  better: { ground: CIRCLE, sign: 'M7 12.5l3.5 3.5l6.5-7.5' },
  worse: { ground: CIRCLE, sign: 'M8 8l8 8M16 8l-8 8' },
  waiting: { ground: CIRCLE, sign: 'M12 6.5v6l4 2.5' },
  nothing: { ground: CIRCLE, sign: 'M7.5 12h9' },
  doubt: { ground: 'M12 2.5l10.5 18.5h-21Z', sign: 'M12 9v6M12 17.6v.6' },
};

/** The icon for a verdict; the text next to it has the same meaning. */
export function ToneIcon({ tone }: { tone: Tone }) {
  const { ground, sign } = SHAPES[tone];
  return (
    <svg class="tone-icon" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true" focusable="false">
      <path d={ground} />
      <path d={sign} />
    </svg>
  );
}
