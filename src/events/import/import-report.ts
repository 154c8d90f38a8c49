import type { LinkRefusal } from '../links/link-request';
import type { Rejection } from '../messages';
import type { Receipt } from '../message-outcome';

const SHOWN_LINES = 3;

interface Entry {
  count: number;
  lines: number[];
}

/** Number of messages by reason, with the line numbers of the first messages. */
type Tally<Reason extends string> = Partial<Record<Reason, Entry>>;

/** @param lines line numbers of all messages, by index */
function addTo<Reason extends string>(
  tally: Tally<Reason>,
  messages: readonly { index: number; reason: Reason }[],
  lines: readonly number[],
): Tally<Reason> {
  const sums = { ...tally };
  for (const { index, reason } of messages) {
    const { count = 0, lines: shown = [] } = sums[reason] ?? {};
    sums[reason] = {
      count: count + 1,
      lines: shown.length < SHOWN_LINES ? [...shown, lines[index]] : shown,
    };
  }
  return sums;
}

/** The total number of messages. */
const sumOf = (tally: Tally<string>): number =>
  Object.values(tally).reduce((sum, entry) => sum + (entry?.count ?? 0), 0);

/** One field of each entry, by reason. */
function valuesOf<Reason extends string, Key extends keyof Entry>(
  tally: Tally<Reason>,
  key: Key,
): Partial<Record<Reason, Entry[Key]>> {
  const entries = Object.entries(tally) as [Reason, Entry][];
  return Object.fromEntries(entries.map(([reason, entry]) => [reason, entry[key]])) as Partial<
    Record<Reason, Entry[Key]>
  >;
}

export type Rejections = Tally<Rejection>;
export type IgnoredLinks = Tally<LinkRefusal>;

/** Counts of accepted and rejected messages so far. */
export interface ImportCounts {
  accepted: number;
  rejections: Rejections;
  /** Accepted messages whose ids were not linked. */
  ignoredLinks: IgnoredLinks;
}

/** The outcome of a batch. Indexes refer to its messages. */
export interface BatchOutcome extends Receipt {
  ignoredLinks: readonly { index: number; reason: LinkRefusal }[];
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
  /** Accepted messages whose ids were not linked, by reason. */
  ignored_links: Partial<Record<LinkRefusal, number>>;
  /** The lines of the first messages whose ids were not linked, by reason. */
  ignored_link_lines: Partial<Record<LinkRefusal, number[]>>;
  /** The line after which an interrupted import resumed; null if it started with the first line. */
  resumed_after: number | null;
  /** Whether the file had already been imported completely. */
  imported_before: boolean;
}

/** @param lines line numbers of the batch's messages, by index */
export const addBatch = (
  { accepted, rejections, ignoredLinks }: ImportCounts,
  batch: BatchOutcome,
  lines: readonly number[],
): ImportCounts => ({
  accepted: accepted + batch.accepted,
  rejections: addTo(rejections, batch.rejected, lines),
  ignoredLinks: addTo(ignoredLinks, batch.ignoredLinks, lines),
});

const rejectedIn = ({ rejections }: ImportCounts): number => sumOf(rejections);

/** The number of messages that a later import of the file may treat differently. */
export const unfinishedIn = ({ rejections, ignoredLinks }: ImportCounts): number =>
  sumOf(rejections) + sumOf(ignoredLinks);

/** The report of a completely read file. */
export function reportOn(
  file: Pick<ImportReport, 'project_id' | 'file' | 'resumed_after' | 'imported_before'>,
  counts: ImportCounts,
): ImportReport {
  const rejected = rejectedIn(counts);
  const { project_id, file: name, ...circumstances } = file;
  return {
    project_id,
    file: name,
    lines: counts.accepted + rejected,
    accepted: counts.accepted,
    rejected,
    reasons: valuesOf(counts.rejections, 'count'),
    rejected_lines: valuesOf(counts.rejections, 'lines'),
    ignored_links: valuesOf(counts.ignoredLinks, 'count'),
    ignored_link_lines: valuesOf(counts.ignoredLinks, 'lines'),
    ...circumstances,
  };
}
