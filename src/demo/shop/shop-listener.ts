import type { AddressInfo } from 'node:net';
import { Injectable, Logger, OnModuleDestroy } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';
import { limitConnections } from '../../common/http/connections';
import { Config } from '../../config/config';
import { createShopServer } from './shop-server';
import { ShopStore } from './shop.store';

/** Milliseconds between checks for demo data, which can be seeded or deleted while the server is running. */
const LOOKS_EVERY_MS = 10_000;

/** Serves the demo shop on its own port while there is demo data. */
@Injectable()
export class ShopListener implements OnModuleDestroy {
  private readonly logger = new Logger(ShopListener.name);
  private server: FastifyInstance | null = null;
  private timer: NodeJS.Timeout | undefined;
  private updating = Promise.resolve();
  private isRefused = false;

  constructor(
    private readonly config: Config,
    private readonly reader: ShopStore,
  ) {}

  /** The origin of the shop; null if it depends on the port and the port is closed. */
  get url(): string | null {
    const { demoUrl, publicUrl } = this.config;
    const { port } = (this.server?.server.address() ?? {}) as Partial<AddressInfo>;
    if (demoUrl !== null || port === undefined) {
      return demoUrl;
    }
    const { protocol, hostname } = new URL(publicUrl);
    return `${protocol}//${hostname}:${port}`;
  }

  /** Starts listening as soon as there is demo data. */
  async start(): Promise<void> {
    this.timer = setInterval(() => void this.update(), LOOKS_EVERY_MS).unref();
    await this.update();
  }

  async onModuleDestroy(): Promise<void> {
    clearInterval(this.timer);
    await this.updating;
    await this.close();
  }

  /** Opens or closes the port depending on the demo data. */
  async update(): Promise<void> {
    this.updating = this.updating.then(() => this.follow());
    await this.updating;
  }

  /**
   * Opens or closes the port. A problem does not stop the server; the next check tries again. Consecutive problems are
   * logged once.
   */
  private async follow(): Promise<void> {
    try {
      await ((await this.reader.exists()) ? this.open() : this.close());
      this.isRefused = false;
    } catch (error) {
      if (!this.isRefused) {
        this.logger.warn(this.refusal(error));
      }
      this.isRefused = true;
    }
  }

  private async open(): Promise<void> {
    if (this.server !== null) {
      return;
    }
    const { host, demoPort, maxConnections } = this.config;
    const server = createShopServer(this.reader, this.config);
    try {
      await server.listen({ host, port: demoPort });
      limitConnections(server.server, maxConnections);
    } catch (error) {
      await server.close();
      throw error;
    }
    this.server = server;
    this.logger.log(`The demo shop is at ${this.url}`);
  }

  private async close(): Promise<void> {
    const { server } = this;
    this.server = null;
    await server?.close();
  }

  private refusal(error: unknown): string {
    const { host, demoPort } = this.config;
    return (error as NodeJS.ErrnoException).code === 'EADDRINUSE'
      ? `The demo shop is not served: another program is listening on ${host}:${demoPort}. Set DEMO_PORT to another number.`
      : `The demo shop is not served: ${String(error)}`;
  }
}
