import { Readable } from 'node:stream';
import type { Encoded } from '../published';

/* Server-sent events, as defined by the HTML standard. */

/** The event stream that is sent to one client. */
export class EventStream extends Readable {
  /** Does nothing, because events are written when they happen, not on demand. */
  override _read(): void {}

  /**
   * Writes to the client. A client that has not read the previous data is disconnected, so it cannot fill the memory.
   * When it reconnects, it gets the current state.
   */
  write(...chunks: readonly Buffer[]): void {
    if (this.readableLength > 0) {
      this.destroy();
    } else if (!this.destroyed) {
      chunks.forEach((chunk) => this.push(chunk));
    }
  }

  /** Ends the response after all written data, or immediately if the client does not read. */
  end(): void {
    if (this.readableLength > 0) {
      this.destroy();
    } else if (!this.destroyed) {
      this.push(null);
    }
  }
}

/** Identifies a payload. Clients send it as `Last-Event-ID` when they reconnect. */
export const tagOf = ({ sha256 }: Encoded): string => sha256.slice(0, 32);

/** The encoded event of each payload, which all clients share. */
const events = new WeakMap<Encoded, Buffer>();

/** The event for a payload, in the format of the GrowthBook SDKs. Serialized JSON is always a single line. */
export function payloadEvent(payload: Encoded): Buffer {
  const known = events.get(payload);
  if (known !== undefined) {
    return known;
  }
  const head = Buffer.from(`id: ${tagOf(payload)}\nevent: features\ndata: `);
  const event = Buffer.concat([head, payload.plain, Buffer.from('\n\n')]);
  events.set(payload, event);
  return event;
}

/** A comment, which clients ignore. It keeps proxies from closing an idle connection. */
export const HEARTBEAT = Buffer.from(':\n\n');

/** Sets the delay before the client reconnects. */
export const retryField = (milliseconds: number): Buffer => Buffer.from(`retry: ${milliseconds}\n\n`);
