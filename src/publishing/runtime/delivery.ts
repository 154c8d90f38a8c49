import { EXPOSURE } from '../../events/exposure';
import type { EventQueue, WaitingEvents } from './event-queue';
import type { Exposure } from './visitor';

interface Message {
  event?: string;
  anonymousId: string;
  /** Only present in exposures. */
  properties: { experiment_id: number; variation_id: number };
}

/** The exposures among events. */
export const exposuresIn = (events: WaitingEvents): Exposure[] =>
  events
    .map(([, json]) => JSON.parse(json) as Message)
    .filter(({ event }) => event === EXPOSURE)
    .map(({ anonymousId, properties }) => ({
      visitor: anonymousId,
      experiment: properties.experiment_id,
      variation: properties.variation_id,
    }));

const FIRST_MS = 1_000;
const LONGEST_MS = 60_000;
const LONGEST_WISH_MS = 3_600_000;

/**
 * The delay before the next attempt in milliseconds: exponential back-off with random jitter between browsers.
 * @param failures number of consecutive failures
 * @param retryAfter the server's `Retry-After` header: seconds or a date
 * @param random from 0 to 1
 */
export function retryDelay(failures: number, retryAfter: string | null, now: number, random: number): number {
  const longest = Math.min(LONGEST_MS, FIRST_MS * 2 ** (failures - 1));
  return Math.max(longest * (0.5 + random / 2), Math.min(LONGEST_WISH_MS, wish(retryAfter ?? '', now)));
}

/** When the next attempt is allowed, by the clock of `performance`, because the system clock can be changed. */
export const retryTime = (failures: number, retryAfter: string | null): number =>
  performance.now() + retryDelay(failures, retryAfter, Date.now(), Math.random());

const wish = (retryAfter: string, now: number): number =>
  (/^\d+$/.test(retryAfter) ? Number(retryAfter) * 1000 : Date.parse(retryAfter) - now) || 0;

const GATHERING_MS = 100;
const MAX_EVENTS = 50;
/** Browsers limit the total size of requests that outlive their page to 64 KB. */
const MAX_BYTES = 60_000;
/**
 * Response statuses after which a retry may succeed: the proxy temporarily has no server (404), the connection was too
 * slow (408), or the rate limit was reached (429).
 */
const TEMPORARY = [404, 408, 429];

/** Sends waiting events, and retries until the server has acknowledged them. */
export class Delivery {
  /**
   * The ids of the events in requests that are still running. Of these events, only exposures are sent again in the
   * meantime.
   */
  private readonly sending = new Set<string>();
  /** Maximum number of events in a request. Halved when the server rejects a request as too large. */
  private most = MAX_EVENTS;
  private failures = 0;
  /** When the next attempt is allowed, see `retryTime`. */
  private notBefore = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly queue: EventQueue,
    private readonly host: string,
    private readonly writeKey: string,
    /** The recipient of acknowledgements; undefined without consent. */
    private readonly recipient: () => { accepted(events: WaitingEvents): void } | undefined,
  ) {}

  /** Sends the waiting events after a short delay, together with events that are added in the meantime. */
  sendSoon(delay = GATHERING_MS): void {
    this.timer ??= setTimeout(() => this.sendNow(), delay);
  }

  sendNow(): void {
    this.stopTimer();
    const wait = this.notBefore - performance.now();
    if (wait > 0) {
      this.sendSoon(wait);
      return;
    }
    const events = this.recipient() === undefined ? [] : this.nextBatch();
    if (events.length > 0) {
      events.forEach(([messageId]) => this.sending.add(messageId));
      void this.post(events);
    }
  }

  /** Sends the waiting events immediately instead of at the next retry. Called when the connection is back. */
  retryNow(): void {
    this.notBefore = 0;
    this.sendNow();
  }

  /** Drops the waiting events. */
  clear(): void {
    this.stopTimer();
    this.queue.remove(this.queue.waiting());
  }

  private stopTimer(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  /**
   * The next events that are not being sent, together with the exposures that are. The server determines times from
   * when a request arrives. If an exposure's request were overtaken by the request with a conversion, the conversion
   * would seem to precede the exposure, and would not count. The server ignores the exposure that arrives second.
   */
  private nextBatch(): WaitingEvents {
    let bytes = 0;
    const waiting = this.queue.waiting();
    const isSending = ([messageId]: WaitingEvents[number]): boolean => this.sending.has(messageId);
    const unsent = waiting.filter((event) => !isSending(event));
    const repeated = waiting.filter((event) => isSending(event) && exposuresIn([event]).length > 0);
    const chosen = [...unsent, ...(unsent.length > 0 ? repeated : [])].slice(0, this.most);
    return waiting
      .filter((event) => chosen.includes(event))
      .filter(([, json], index) => {
        bytes += new TextEncoder().encode(json).length + 1;
        return bytes < MAX_BYTES || index === 0;
      });
  }

  private async post(events: WaitingEvents): Promise<void> {
    const accepted = await this.attempt(events);
    events.forEach(([messageId]) => this.sending.delete(messageId));
    if (accepted !== null) {
      this.failures = 0;
      this.recipient()?.accepted(accepted);
      this.queue.remove(events);
      this.sendNow();
    } else {
      this.sendSoon();
    }
  }

  /** @returns the events that the server accepted; null if the request has to be retried */
  private async attempt(events: WaitingEvents): Promise<WaitingEvents | null> {
    const head = JSON.stringify({ writeKey: this.writeKey, sentAt: new Date().toISOString() });
    let retryAfter: string | null = null;
    try {
      const response = await fetch(`${this.host}/v1/batch?strict=1`, {
        method: 'POST',
        // Sent as plain text, which needs no CORS preflight.
        body: `${head.slice(0, -1)},"batch":[${events.map(([, json]) => json).join()}]}`,
        keepalive: true,
        credentials: 'omit',
      });
      const { status, headers, ok } = response;
      if (status === 413 && events.length > 1) {
        this.most = events.length >> 1;
        return null;
      }
      // After a permanent error, such as one for an origin that is not allowed, a retry would fail too.
      if (status < 500 && !TEMPORARY.includes(status)) {
        const rejected = ok ? await rejectedIn(response) : null;
        return events.filter((_, index) => rejected?.includes(index) === false);
      }
      retryAfter = headers.get('retry-after');
    } catch {
      // There is no connection, or something else than the server responded.
    }
    this.failures += 1;
    this.notBefore = retryTime(this.failures, retryAfter);
    return null;
  }
}

interface Receipt {
  success: boolean;
  errors: { index: number }[];
}

/**
 * The indexes of rejected events.
 * @throws any error if the response is not the server's receipt, but for example the page of a proxy in maintenance, or
 * the offline page of a service worker
 */
async function rejectedIn(response: Response): Promise<number[]> {
  const { success, errors } = (await response.json()) as Receipt;
  if (!success) {
    throw new Error();
  }
  return errors.map(({ index }) => index);
}
