const SHOWN_LINES = 3;

interface Entry {
  count: number;
  lines: number[];
}

/** Number of messages by reason, with the lines of the first ones. */
export type Tally<Reason extends string> = Partial<Record<Reason, Entry>>;

/** @param lines line numbers of all messages, by index */
export function addTo<Reason extends string>(
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

/** The number of all its messages. */
export const sumOf = (tally: Tally<string>): number =>
  Object.values(tally).reduce((sum, entry) => sum + (entry?.count ?? 0), 0);

/** One value of each reason's entry. */
export function valuesOf<Reason extends string, Key extends keyof Entry>(
  tally: Tally<Reason>,
  key: Key,
): Partial<Record<Reason, Entry[Key]>> {
  const entries = Object.entries(tally) as [Reason, Entry][];
  return Object.fromEntries(entries.map(([reason, entry]) => [reason, entry[key]])) as Partial<
    Record<Reason, Entry[Key]>
  >;
}
