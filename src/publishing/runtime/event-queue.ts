/** Events that wait to be sent, by their message id; the ids are in the order in which they were made. */
export type WaitingEvents = [messageId: string, json: string][];

const LIFETIME_MS = 72 * 3_600_000;
const MAX_WAITING = 500;

/**
 * Events that the server has not acknowledged yet. Each is an item of its own in localStorage, so that they outlive the
 * page and tabs do not overwrite each other's; where nothing can be stored they last as long as the page.
 */
export class EventQueue {
  private readonly unstored = new Map<string, string>();

  /** @param prefix of the keys in localStorage */
  constructor(private readonly prefix: string) {}

  add(messageId: string, json: string): void {
    try {
      localStorage.setItem(this.prefix + messageId, json);
    } catch {
      this.unstored.set(messageId, json);
    }
  }

  /** The oldest first; what is too old to be accepted is dropped, and the oldest where too many wait. */
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
        // It is not there.
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

/** So is what nobody can read. */
function isLate(json: string): boolean {
  try {
    const { timestamp } = JSON.parse(json) as { timestamp: string };
    return !(Date.parse(timestamp) + LIFETIME_MS > Date.now());
  } catch {
    return true;
  }
}
