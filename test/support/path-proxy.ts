import { createServer, request, type Server } from 'node:http';
import { freePort } from './server-process';

/** A reverse proxy that serves a server below a path prefix. It removes the prefix, and returns 502 for other paths. */
export class PathProxy {
  /** The URLs of requests outside the path prefix. */
  readonly strays: string[] = [];
  /** The address at which the server listens. */
  target = '';

  private constructor(
    private readonly server: Server,
    readonly publicUrl: string,
  ) {}

  static async listen(path: string): Promise<PathProxy> {
    const port = await freePort();
    // On a busy machine, the default would close connections that the client is about to use again.
    const server = createServer({ keepAliveTimeout: 0 });
    const proxy = new PathProxy(server, `http://127.0.0.1:${port}${path}`);
    server.on('request', (incoming, outgoing) => {
      const { url = '', method, headers } = incoming;
      if (url !== path && !url.startsWith(`${path}/`)) {
        proxy.strays.push(url);
        outgoing.writeHead(502).end();
        return;
      }
      const rest = url.slice(path.length);
      const address = `${proxy.target}${rest.startsWith('/') ? rest : `/${rest}`}`;
      const onward = request(address, { method, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(outgoing);
      });
      onward.on('error', () => outgoing.destroy());
      incoming.pipe(onward);
    });
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    return proxy;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
