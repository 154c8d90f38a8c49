import type { Rejection } from '../messages';
import type { Receipt } from '../receipt';

/** How many messages were rejected for each reason, and on which lines the first of them are. */
export type Rejections = Partial<Record<Rejection, { count: number; lines: number[] }>>;

/** What became of the messages of a file so far. */
export interface ImportCounts {
  accepted: number;
  rejections: Rejections;
}

/** What became of the messages of a file. */
export interface ImportReport {
  project_id: number;
  file: string;
  /** Messages in the file; blank lines and the header of a CSV file are none. */
  lines: number;
  /** Messages that were stored, or had been already. */
  accepted: number;
  rejected: number;
  /** Rejected messages by reason. */
  reasons: Partial<Record<Rejection, number>>;
  /** The first lines that were rejected, by reason. */
  rejected_lines: Partial<Record<Rejection, number[]>>;
  /** The line after which an interrupted import went on; null when it began with the first. */
  resumed_after: number | null;
  /** Had the file been imported before, so that there was nothing left to do? */
  imported_before: boolean;
}

const SHOWN_LINES = 3;

/** @param lines where the messages of the receipt are in the file, by their index */
export function addReceipt(
  { accepted, rejections }: ImportCounts,
  receipt: Receipt,
  lines: readonly number[],
): ImportCounts {
  const sums: Rejections = { ...rejections };
  for (const { index, reason } of receipt.rejected) {
    const { count = 0, lines: shown = [] } = sums[reason] ?? {};
    sums[reason] = {
      count: count + 1,
      lines: shown.length < SHOWN_LINES ? [...shown, lines[index]] : shown,
    };
  }
  return { accepted: accepted + receipt.accepted, rejections: sums };
}

export const rejectedIn = ({ rejections }: ImportCounts): number =>
  Object.values(rejections).reduce((sum, { count }) => sum + count, 0);

/** The report on a file that has been read to its end. */
export function reportOn(
  file: Pick<ImportReport, 'project_id' | 'file' | 'resumed_after' | 'imported_before'>,
  counts: ImportCounts,
): ImportReport {
  const rejected = rejectedIn(counts);
  const reasons = Object.entries(counts.rejections);
  const { project_id, file: name, ...circumstances } = file;
  return {
    project_id,
    file: name,
    lines: counts.accepted + rejected,
    accepted: counts.accepted,
    rejected,
    reasons: Object.fromEntries(reasons.map(([reason, { count }]) => [reason, count])),
    rejected_lines: Object.fromEntries(reasons.map(([reason, { lines }]) => [reason, lines])),
    ...circumstances,
  };
}
