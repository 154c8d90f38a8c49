const STATUS_NAMES: Readonly<Record<string, string>> = {
  draft: 'Draft',
  preview: 'Preview',
  running: 'Running',
  pause: 'Paused',
  archive: 'Ended',
};

/** What the status of an experiment is called for people. */
export const statusName = (status: string): string => STATUS_NAMES[status] ?? status;

/** The status of an experiment. */
export function StatusBadge({ status }: { status: string }) {
  return <span class={`status status-${status}`}>{statusName(status)}</span>;
}
