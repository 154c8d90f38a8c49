import type { Rejection } from '../messages';
import type { Receipt } from '../receipt';

/** Number of rejected messages by reason, with the lines of the first ones. */
export type Rejections = Partial<Record<Rejection, { count: number; lines: number[] }>>;

/** Counts of accepted and rejected messages so far. */
export interface ImportCounts {
  accepted: number;
  rejections: Rejections;
}

/** The final report of an import. */
export interface ImportReport {
  project_id: number;
  file: string;
  /** Messages in the file, without blank lines and the CSV header. */
  lines: number;
  /** Stored messages, including duplicates. */
  accepted: number;
  rejected: number;
  /** Rejected messages by reason. */
  reasons: Partial<Record<Rejection, number>>;
  /** The lines of the first rejected messages, by reason. */
  rejected_lines: Partial<Record<Rejection, number[]>>;
  /** The line after which an interrupted import resumed; null if it started with the first. */
  resumed_after: number | null;
  /** Was the file already imported completely? */
  imported_before: boolean;
}

const SHOWN_LINES = 3;

/** @param lines line numbers of the receipt's messages, by index */
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

/** The report of a completely read file. */
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
