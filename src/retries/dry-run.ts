import { Created, Rehearsed, Shown } from '../common/freshness/answers';

/** Does a request ask for a dry run? */
export type DryRun = 'yes' | 'no' | 'unclear';

const VALUES = new Map<unknown, DryRun>([
  [undefined, 'no'],
  ['0', 'no'],
  ['false', 'no'],
  ['1', 'yes'],
  ['true', 'yes'],
]);

/** Reads the parameter `dry_run`. */
export const readDryRun = (query: unknown): DryRun =>
  VALUES.get((query as Record<string, unknown>).dry_run) ?? 'unclear';

/** What a dry run answers instead: neither an ETag nor an address, and no id of what was not stored. */
export function rehearsed(answer: unknown): unknown {
  if (answer instanceof Created) {
    return new Rehearsed(answer.unstored());
  }
  return answer instanceof Shown ? new Rehearsed((answer as Shown<{ id: number }>).record) : answer;
}
