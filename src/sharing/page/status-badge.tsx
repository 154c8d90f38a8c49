const STATUS_NAMES: Readonly<Record<string, string>> = {
  draft: 'Draft',
  preview: 'Preview',
  running: 'Running',
  pause: 'Paused',
  archive: 'Ended',
};

/** The display name of a status. */
export const statusName = (status: string): string => STATUS_NAMES[status] ?? status;

/** The status of an experiment, or that its result is final. */
export function StatusBadge({ status, isFinal = false }: { status: string; isFinal?: boolean }) {
  return <span class={`status status-${status}`}>{isFinal ? 'Final' : statusName(status)}</span>;
}
