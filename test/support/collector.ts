import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Attribute {
  key: string;
  value: { stringValue?: string; intValue?: string };
}

export interface ReceivedSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: Attribute[];
  status: { code?: number };
}

interface Received {
  resourceSpans: { resource: { attributes: Attribute[] }; scopeSpans: { spans: ReceivedSpan[] }[] }[];
}

/** Attributes by name. */
export const plain = (attributes: readonly Attribute[]): Record<string, string | undefined> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]));

/** An OpenTelemetry collector that keeps the spans it receives. */
export class Collector {
  readonly requests: { url: string; headers: IncomingHttpHeaders; body: Received }[] = [];

  private constructor(private readonly server: Server) {}

  static async listen(status = 200): Promise<Collector> {
    const server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => (body += String(chunk)));
      request.on('end', () => {
        collector.requests.push({
          url: request.url ?? '',
          headers: request.headers,
          body: JSON.parse(body) as Received,
        });
        response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
      });
    });
    const collector = new Collector(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return collector;
  }

  get address(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  get spans(): ReceivedSpan[] {
    const resources = this.requests.flatMap(({ body }) => body.resourceSpans);
    return resources.flatMap(({ scopeSpans }) => scopeSpans).flatMap(({ spans }) => spans);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
