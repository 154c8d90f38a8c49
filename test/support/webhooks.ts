import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DeliverySender } from '../../src/webhooks/delivery-sender';
import type { TestApi } from './api';
import type { Client } from './client';
import type { Maker, Made } from './scene';

/** The body of a webhook message. */
export interface EventBody {
  type: string;
  timestamp: string;
  data: Record<string, unknown>;
}

/** A webhook message as received. */
export interface Received {
  headers: Record<string, string>;
  body: string;
  path: string;
}

/** Responds to a request; by default with 204. */
export type Answering = (response: ServerResponse, received: Received) => void;

/** The setting that allows webhooks to the test receivers. */
export const LOOPBACK = { WEBHOOK_ALLOW: '127.0.0.0/8' };

/** A server that receives webhook messages. */
export class Receiver {
  readonly received: Received[] = [];
  answering: Answering = (response) => response.writeHead(204).end();

  private constructor(private readonly server: Server) {
    server.on('request', (request, response) => void this.take(request, response));
  }

  static async start(): Promise<Receiver> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new Receiver(server);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/hook`;
  }

  get bodies(): EventBody[] {
    return this.received.map(({ body }) => JSON.parse(body) as EventBody);
  }

  /** Closes connections without a response. */
  dropConnections(): void {
    this.server.closeAllConnections();
  }

  async close(): Promise<void> {
    this.dropConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) {
      body += String(chunk);
    }
    const received = { headers: request.headers as Record<string, string>, body, path: request.url ?? '' };
    this.received.push(received);
    this.answering(response, received);
  }
}

/** Starts a receiver for the tests of a block, and resets it before each test. */
export function useReceiver(): { readonly it: Receiver } {
  const holder = {} as { it: Receiver };
  beforeAll(async () => {
    holder.it = await Receiver.start();
  });
  beforeEach(() => {
    holder.it.received.splice(0);
    holder.it.answering = (response) => response.writeHead(204).end();
  });
  afterAll(() => holder.it.close());
  return holder;
}

/** Creates an active webhook. @param fields additional fields */
export const subscribe = (make: Maker, events: readonly string[], fields: object = {}): Promise<Made> =>
  make.of('webhooks', { name: 'Webhook', url: 'https://hooks.example.com/', events, ...fields });

/** Deletes the webhooks of a project. */
export async function removeWebhooks(client: Client, { project }: Maker): Promise<void> {
  for (const { id } of (await client.get(`${project}/webhooks`)).body as Made[]) {
    await client.delete(`${project}/webhooks/${id}`);
  }
}

/** Sends all deliveries that are due at the given time, and those that become due as a result, like the worker. */
export async function sendDue(api: TestApi, now?: number): Promise<void> {
  const sender = api.app.get(DeliverySender, { strict: false });
  for (;;) {
    const claimed = await sender.claim(20, [], now);
    if (claimed.length === 0) {
      return;
    }
    await Promise.all(
      claimed.map((delivery) => sender.deliver(delivery, now === undefined ? undefined : () => now)),
    );
  }
}

/** The message bodies stored for a webhook, in order. */
export async function bodiesFor(api: TestApi, { id }: { id: number }): Promise<EventBody[]> {
  const rows: { body: string }[] = await api.database.read.query(
    'SELECT body FROM webhook_deliveries WHERE webhook_id = ? ORDER BY id',
    [id],
  );
  return rows.map(({ body }) => JSON.parse(body) as EventBody);
}
