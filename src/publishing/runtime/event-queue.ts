/** The waiting events, each with its message id. Sorted as strings, message ids are in order of creation. */
export type WaitingEvents = [messageId: string, json: string][];

const LIFETIME_MS = 72 * 3_600_000;
const MAX_WAITING = 500;

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

  /**
   * The waiting events, oldest first. Drops events that are too old to be accepted and, if there are too many events,
   * the oldest ones.
   */
  waiting(): WaitingEvents {
    const all = [...this.stored(), ...this.unstored].sort(([a], [b]) => (a < b ? -1 : 1));
    const kept = all.filter(([, json]) => !isLate(json)).slice(-MAX_WAITING);
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

/** Whether an event is too old for the server to accept. Events that cannot be parsed also count as late. */
function isLate(json: string): boolean {
  try {
    const { timestamp } = JSON.parse(json) as { timestamp: string };
    return !(Date.parse(timestamp) + LIFETIME_MS > Date.now());
  } catch {
    return true;
  }
}
