import { retryDelay } from './back-off';
import type { EventQueue, WaitingEvents } from './event-queue';

const GATHERING_MS = 100;
const MAX_EVENTS = 50;
/** Browsers let requests with 64 KB outlive their page, all of them together. */
const MAX_BYTES = 60_000;

/** Sends waiting events until the server has acknowledged them. */
export class Delivery {
  /** On their way; nothing is on its way twice. */
  private readonly sending = new Set<string>();
  /** Events in a request, as far as the server has been found to take them. */
  private most = MAX_EVENTS;
  private failures = 0;
  private notBefore = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly queue: EventQueue,
    private readonly host: string,
    private readonly writeKey: string,
  ) {}

  /** Sends soon, together with what else comes until then. */
  sendSoon(delay = GATHERING_MS): void {
    this.timer ??= setTimeout(() => this.sendNow(), delay);
  }

  sendNow(): void {
    this.stopTimer();
    const wait = this.notBefore - Date.now();
    if (wait > 0) {
      this.sendSoon(wait);
      return;
    }
    const events = this.nextBatch();
    if (events.length > 0) {
      events.forEach(([messageId]) => this.sending.add(messageId));
      void this.post(events);
    }
  }

  /** Where the connection has come back there is no reason to wait any longer. */
  retryNow(): void {
    this.notBefore = 0;
    this.sendNow();
  }

  /** Drops what is waiting. */
  clear(): void {
    this.stopTimer();
    this.queue.remove(this.queue.waiting());
  }

  private stopTimer(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  private nextBatch(): WaitingEvents {
    let bytes = 0;
    const waiting = this.queue.waiting().filter(([messageId]) => !this.sending.has(messageId));
    return waiting.slice(0, this.most).filter(([, json], index) => {
      bytes += new TextEncoder().encode(json).length + 1;
      return bytes < MAX_BYTES || index === 0;
    });
  }

  private async post(events: WaitingEvents): Promise<void> {
    const isDone = await this.attempt(events.map(([, json]) => json));
    events.forEach(([messageId]) => this.sending.delete(messageId));
    if (isDone) {
      this.failures = 0;
      this.queue.remove(events);
      this.sendNow();
    } else {
      this.sendSoon();
    }
  }

  /** @returns false when it has to be tried again */
  private async attempt(batch: string[]): Promise<boolean> {
    const head = JSON.stringify({ writeKey: this.writeKey, sentAt: new Date().toISOString() });
    let retryAfter: string | null = null;
    try {
      const { status, headers } = await fetch(`${this.host}/v1/batch`, {
        method: 'POST',
        // Sent as plain text, so that the browser need not ask the server first.
        body: `${head.slice(0, -1)},"batch":[${batch.join()}]}`,
        keepalive: true,
        credentials: 'omit',
      });
      if (status === 413 && batch.length > 1) {
        this.most = batch.length >> 1;
        return false;
      }
      // What was refused for good, as from a site that the project does not name, is refused again.
      if (status !== 429 && status < 500) {
        return true;
      }
      retryAfter = headers.get('retry-after');
    } catch {
      // No connection, or a server that does not answer.
    }
    this.failures += 1;
    const now = Date.now();
    this.notBefore = now + retryDelay(this.failures, retryAfter, now, Math.random());
    return false;
  }
}
