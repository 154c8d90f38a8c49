import { ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { freePort } from './server-process';

/** A separate Redis server without persistence, which tests can stop and kill. */
export class RedisProcess {
  private constructor(
    private child: ChildProcess,
    private readonly port: number,
  ) {}

  static async start(): Promise<RedisProcess> {
    const port = await freePort();
    const redis = new RedisProcess(launch(port), port);
    await redis.ready();
    return redis;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  kill(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** Kills Redis, so that all counts are lost, and restarts it at the same address. */
  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  /** Starts Redis again after `stop`, at the same address but without its data. */
  async start(): Promise<void> {
    this.child = launch(this.port);
    await this.ready();
  }

  async stop(): Promise<void> {
    const exit = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await exit;
  }

  /** The keys that match a pattern. */
  keys(pattern: string): Promise<string[]> {
    return this.ask((client) => client.keys(pattern));
  }

  /** The entries of the lists whose keys match a pattern. */
  lists(pattern: string): Promise<string[]> {
    return this.ask(async (client) => {
      const keys = await client.keys(pattern);
      return (await Promise.all(keys.map((key) => client.lrange(key, 0, -1)))).flat();
    });
  }

  private async ask<T>(question: (client: Redis) => Promise<T>): Promise<T> {
    const client = new Redis(this.url);
    try {
      return await question(client);
    } finally {
      client.disconnect();
    }
  }

  private async ready(): Promise<void> {
    for (;;) {
      const client = new Redis(this.url, { lazyConnect: true, retryStrategy: null, disconnectTimeout: 20 });
      client.on('error', () => undefined);
      const isReady = await client.connect().then(
        () => true,
        () => false,
      );
      client.disconnect();
      if (isReady) {
        return;
      }
      await sleep(20);
    }
  }
}

const launch = (port: number): ChildProcess =>
  spawn('redis-server', ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'], {
    stdio: 'ignore',
  });
