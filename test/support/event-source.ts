import { get, type IncomingMessage } from 'node:http';
import { until } from './waiting';

/** One server-sent event. */
export interface ServerSentEvent {
  id: string | undefined;
  type: string | undefined;
  data: string;
}

const field = (block: string, name: string): string | undefined =>
  new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1];

/** A client that records the events of a stream. */
export class EventSourceClient {
  text = '';
  /** Resolves when either side ends the response. */
  readonly ended: Promise<void>;

  private constructor(readonly response: IncomingMessage) {
    response.setEncoding('utf8');
    response.on('data', (chunk: string) => (this.text += chunk));
    // The server may close the connection at any time.
    response.on('error', () => undefined);
    this.ended = new Promise((resolve) => response.once('close', () => resolve()));
  }

  static async open(address: string, headers: Record<string, string> = {}): Promise<EventSourceClient> {
    // An agent would limit the number of connections.
    const request = get(address, { headers, agent: false });
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      request.once('response', resolve);
      request.once('error', reject);
    });
    return new EventSourceClient(response);
  }

  get status(): number {
    return this.response.statusCode ?? 0;
  }

  /** The events received completely so far. */
  get events(): ServerSentEvent[] {
    return this.text
      .split('\n\n')
      .slice(0, -1)
      .flatMap((block) => {
        const data = field(block, 'data');
        return data === undefined ? [] : [{ id: field(block, 'id'), type: field(block, 'event'), data }];
      });
  }

  /** Resolves when the received events meet the condition, or the response has ended. */
  async until(isTrue: () => boolean): Promise<void> {
    await until(() => isTrue() || this.response.destroyed, 'events of a stream');
  }

  close(): void {
    this.response.destroy();
  }
}
