import { ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { ROOT } from './documents';

/** An example that has its own server, running in a separate process. */
export class ExampleServer {
  /** The standard error output of the process so far. */
  complaints = '';

  private constructor(
    private readonly child: ChildProcess,
    readonly address: string,
  ) {}

  /** @param file path relative to `examples` */
  static async start(file: string, environment: Record<string, string>): Promise<ExampleServer> {
    const child = spawn(process.execPath, [join(ROOT, 'examples', file)], {
      env: { PATH: process.env.PATH, PORT: '0', ...environment },
    });
    const [printed] = (await once(child.stdout, 'data')) as [Buffer];
    const example = new ExampleServer(child, printed.toString().trim());
    child.stderr.on('data', (chunk) => (example.complaints += String(chunk)));
    return example;
  }

  stop(): void {
    this.child.kill();
  }
}

/** Runs a server that an example uses as if it were Gosset. */
export async function withServer(
  answer: RequestListener,
  use: (address: string) => Promise<void>,
): Promise<void> {
  const server = createServer(answer);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  try {
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}
