import { EXPOSURE } from '../../events/exposure';
import { warn } from './guard';

/** The waiting events, each with its message id. Sorted as strings, message ids are in order of creation. */
export type WaitingEvents = [messageId: string, json: string][];

const LIFETIME_MS = 72 * 3_600_000;
const MAX_WAITING = 1_000;

/**
 * Events that the server has not acknowledged. Each one is a separate item in localStorage, so events outlive the page,
 * and tabs do not overwrite each other's events. If there is no storage, events last only as long as the page.
 */
export class EventQueue {
  private readonly unstored = new Map<string, string>();

  /** @param prefix the prefix for the keys in localStorage */
  constructor(private readonly prefix: string) {}

  add(messageId: string, json: string): void {
    try {
      localStorage.setItem(this.prefix + messageId, json);
    } catch {
      this.unstored.set(messageId, json);
    }
  }

  /** The waiting events, oldest first. Drops events that are too old to be accepted, and surplus events. */
  waiting(): WaitingEvents {
    const all = [...this.stored(), ...this.unstored].sort(([a], [b]) => (a < b ? -1 : 1));
    const ranks = ranksOf(all);
    const limit = [...ranks].sort((a, b) => a - b)[MAX_WAITING] ?? Infinity;
    const kept = all.filter((_, index) => ranks[index] < limit);
    if (limit < Infinity) {
      warn(`dropped events, because more than ${MAX_WAITING} are waiting.`);
    }
    this.remove(all.filter((event) => !kept.includes(event)));
    return kept;
  }

  remove(events: WaitingEvents): void {
    for (const [messageId] of events) {
      this.unstored.delete(messageId);
      try {
        localStorage.removeItem(this.prefix + messageId);
      } catch {
        // There is no storage.
      }
    }
  }

  private stored(): WaitingEvents {
    try {
      return Object.entries(localStorage as Record<string, string>)
        .filter(([key]) => key.startsWith(this.prefix))
        .map(([key, json]) => [key.slice(this.prefix.length), json]);
    } catch {
      return [];
    }
  }
}

/**
 * The order in which events are kept, lowest first. Exposures come first, because conversions do not count without them.
 * Then come the first event of each name, the second one, and so on, so that a frequent event does not displace a rare
 * one. Events that the server would not accept, because they are too old or cannot be parsed, have the rank `Infinity`.
 * @param events oldest first
 */
function ranksOf(events: WaitingEvents): number[] {
  const counts = new Map<unknown, number>();
  return events.map(([, json], index) => {
    try {
      const { timestamp, event } = JSON.parse(json) as { timestamp: string; event?: string };
      const count = (counts.get(event) ?? 0) + 1;
      counts.set(event, count);
      const isFresh = Date.parse(timestamp) + LIFETIME_MS > Date.now();
      return isFresh ? (event === EXPOSURE ? 0 : count) + index / 1e6 : Infinity;
    } catch {
      return Infinity;
    }
  });
}
