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
  /** By experiment id. */
  assignments: Map<number, Assignment>;
}

export interface Assignment {
  variation: number;
  /** The phase whose shares determined the variation. */
  phase: number;
  /** Whether the server has acknowledged the exposure to this variation. */
  isExposed: boolean;
}

export const LIFETIME_MS = 365 * 24 * 3_600_000;
const MAX_ASSIGNMENTS = 150;

export const newRecord = (id: string, now: number): VisitorRecord => ({
  id,
  since: now,
  seen: now,
  assignments: new Map(),
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
      phases,
      exposed,
    } = JSON.parse(text ?? '') as Record<string, unknown>;
    const id = decodeId(written);
    if (id === null || !isNumber(since) || !isNumber(seen) || seen + LIFETIME_MS < now) {
      return null;
    }
    const kept = Object.entries(assignments as object)
      .filter(([key, variation]) => EXPERIMENT_KEY.test(key) && /^\d+$/.test(variation as string))
      .map(([key, variation]): [number, Assignment] => {
        const experiment = Number(key.replace(/\D+/, ''));
        const phase = (Object(phases) as Record<number, unknown>)[experiment];
        const isExposed = (exposed as unknown[]).includes(experiment);
        return [experiment, { variation: Number(variation), phase: isNumber(phase) ? phase : 1, isExposed }];
      });
    return {
      id,
      since,
      seen,
      renewed: isNumber(renewed) ? renewed : undefined,
      assignments: new Map(kept),
    };
  } catch {
    return null;
  }
}

/**
 * The record as text. If it would be too long, the assignments of the oldest experiments are dropped. Phases are written
 * separately, and without the first phase, because scripts of the first release read only variations. The list of
 * exposed experiments is not written with `JSON`, because old libraries, such as Prototype.js, give arrays a `toJSON`
 * method that turns them into strings.
 */
export function writeRecord({ assignments: all, ...record }: VisitorRecord, maxLength: number): string {
  const kept = [...all].sort(([a], [b]) => b - a).slice(0, MAX_ASSIGNMENTS);
  for (;;) {
    const assignments = Object.fromEntries(
      kept.map(([id, { variation }]) => [experimentKey(id), String(variation)]),
    );
    const later = kept.filter(([, { phase }]) => phase > 1).map(([id, { phase }]) => [id, phase]);
    const phases = later.length > 0 ? (Object.fromEntries(later) as object) : undefined;
    const exposed = kept.filter(([, { isExposed }]) => isExposed).map(([id]) => id);
    const others = JSON.stringify({ ...record, id: encodeId(record.id), assignments, phases });
    const text = `${others.slice(0, -1)},"exposed":[${exposed.join()}]}`;
    if (text.length <= maxLength || kept.length === 0) {
      return text;
    }
    kept.pop();
  }
}

export const withAssignment = (
  record: VisitorRecord,
  experiment: number,
  assignment: Assignment,
): VisitorRecord => ({
  ...record,
  assignments: new Map([...record.assignments, [experiment, assignment]]),
});

/** Assignments by later shares replace earlier ones, whose variation may no longer exist. */
const rank = (assignment?: Assignment): number =>
  assignment === undefined ? 0 : 2 * assignment.phase + Number(assignment.isExposed);

/** Merges this page's assignments with those that other pages have stored since this page read the visitor's record. */
export function mergeRecords(own: VisitorRecord, stored: VisitorRecord): VisitorRecord {
  const later = [...own.assignments].filter(
    ([experiment, assignment]) => rank(assignment) > rank(stored.assignments.get(experiment)),
  );
  return { ...stored, assignments: new Map([...stored.assignments, ...later]) };
}
