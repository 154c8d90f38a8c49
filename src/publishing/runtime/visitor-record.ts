import { EXPERIMENT_KEY, experimentKey } from '../../events/exposure';
import { isVisitorId } from '../../events/visitor-id';

/** The data that a browser stores about its visitor. */
export interface VisitorRecord {
  id: string;
  /** The time when the id was created. `seen` is the time of the last visit. Both are in milliseconds since 1970. */
  since: number;
  seen: number;
  /** The time when the snippet last wrote the cookie with the id. Missing if a back end set this cookie. */
  renewed?: number;
  /** Variation ids by experiment key. */
  assignments: Record<string, string>;
  /** Ids of the experiments whose exposure the server has acknowledged. */
  exposed: number[];
}

export const LIFETIME_MS = 365 * 24 * 3_600_000;
const MAX_ASSIGNMENTS = 150;

export const newRecord = (id: string, now: number): VisitorRecord => ({
  id,
  since: now,
  seen: now,
  assignments: {},
  exposed: [],
});

/**
 * Percent-encodes an id for cookies and records, including its single quotes, because the record's double quotes are
 * replaced by single quotes in cookies.
 */
export const encodeId = (id: string): string => encodeURIComponent(id).replace(/'/g, '%27');

/** @returns null for an invalid id */
export function decodeId(text: unknown): string | null {
  try {
    const id = typeof text === 'string' ? decodeURIComponent(text) : '';
    return isVisitorId(id) ? id : null;
  } catch {
    return null;
  }
}

const isNumber = (value: unknown): value is number => typeof value === 'number' && value > 0;

/** @returns null for invalid records, and for records that have expired */
export function parseRecord(text: string | null, now: number): VisitorRecord | null {
  try {
    const {
      id: written,
      since,
      seen,
      renewed,
      assignments,
      exposed,
    } = JSON.parse(text ?? '') as Record<string, unknown>;
    const id = decodeId(written);
    if (id === null || !isNumber(since) || !isNumber(seen) || seen + LIFETIME_MS < now) {
      return null;
    }
    const kept = Object.entries(assignments as object).filter(
      ([key, variation]) => EXPERIMENT_KEY.test(key) && /^\d+$/.test(variation as string),
    );
    return {
      id,
      since,
      seen,
      renewed: isNumber(renewed) ? renewed : undefined,
      assignments: Object.fromEntries(kept),
      exposed: (exposed as unknown[]).filter(isNumber),
    };
  } catch {
    return null;
  }
}

/**
 * The record as text. If it would be too long, the assignments of the oldest experiments are dropped. The list of
 * exposed experiments is not written with `JSON`, because old libraries, such as Prototype.js, give arrays a `toJSON`
 * method that turns them into strings.
 */
export function writeRecord({ exposed, ...record }: VisitorRecord, maxLength: number): string {
  const ids = Object.keys(record.assignments).map((key) => Number(EXPERIMENT_KEY.exec(key)?.[1]));
  const kept = ids.sort((a, b) => b - a).slice(0, MAX_ASSIGNMENTS);
  for (;;) {
    const assignments = Object.fromEntries(kept.map((id) => [experimentKey(id), keptVariation(record, id)]));
    const others = JSON.stringify({ ...record, id: encodeId(record.id), assignments });
    const text = `${others.slice(0, -1)},"exposed":[${exposed.filter((id) => kept.includes(id)).join()}]}`;
    if (text.length <= maxLength || kept.length === 0) {
      return text;
    }
    kept.pop();
  }
}

export const keptVariation = (
  { assignments }: Pick<VisitorRecord, 'assignments'>,
  experiment: number,
): string | undefined => assignments[experimentKey(experiment)];

export const withAssignment = (
  record: VisitorRecord,
  experiment: number,
  variation: number,
): VisitorRecord => ({
  ...record,
  assignments: { ...record.assignments, [experimentKey(experiment)]: String(variation) },
});

/**
 * Merges this page's record with the data that other pages have stored since this page read its record. A stored record
 * with a different id replaces this page's record.
 */
export function mergeRecords(own: VisitorRecord, stored: VisitorRecord | null): VisitorRecord {
  if (stored?.id !== own.id) {
    return stored ?? own;
  }
  return {
    ...stored,
    assignments: { ...own.assignments, ...stored.assignments },
    exposed: [...new Set([...own.exposed, ...stored.exposed])],
  };
}
