import { createServer, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import type { TestApi } from './api';
import { launchBrowser } from './browser';
import type { Client } from './client';
import { attributeAll } from './events';
import { startLive } from './live-server';
import { Made, Maker } from './scene';
import { Visitor, VisitorOptions } from './visitors';

/* A server, a website with the snippets of its projects, and browsers that visit it. */

const BODY = `<h1>Tea</h1><button id="cart">Add to cart</button>`;
/** Attributes of the script tag, by the first part of the path. */
const ATTRIBUTES = new Map<unknown, string>([
  ['consent', 'data-consent="required"'],
  ['hidden', 'data-anti-flicker'],
]);
const STYLE = 'h1 { color: rgb(0, 0, 0); }';

/** A project with its own pages on the site. */
export interface LiveProject {
  id: number;
  make: Maker;
  clientKey: string;
}

/** The results of one goal and one variation. */
export interface Figures {
  participants: number;
  conversions: number;
  totalConversions: number;
  totalValue: number;
}

export class LiveSite {
  private readonly visitors: Visitor[] = [];

  private constructor(
    readonly api: TestApi,
    readonly client: Client,
    readonly browser: Browser,
    private readonly teamId: number,
    private readonly adminId: number,
    private readonly pages: Server,
    /** The origin of the site, which differs from the origin of the server. */
    readonly origin: string,
  ) {}

  static async start(environment: Record<string, string> = {}): Promise<LiveSite> {
    const [api, browser] = await Promise.all([startLive(environment), launchBrowser()]);
    const { teamId, people } = await api.world();
    const pages = createServer(({ url = '' }, response) => show(url, api.config.publicUrl, response));
    await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', resolve));
    const { port } = pages.address() as AddressInfo;
    return new LiveSite(
      api,
      people.admin.client,
      browser,
      teamId,
      people.admin.id,
      pages,
      `http://localhost:${port}`,
    );
  }

  /** An API token with read & write permission. */
  token(): Promise<string> {
    return this.api.token(this.adminId, 'write');
  }

  async stop(): Promise<void> {
    await this.browser.close();
    this.pages.closeAllConnections();
    await new Promise((resolve) => this.pages.close(resolve));
    await this.api.close();
  }

  async project(storage: 'localStorage' | 'cookie' = 'localStorage'): Promise<LiveProject> {
    const id = await this.api.project(this.teamId, 'Shop', storage);
    const make = new Maker(this.client, `/projects/${id}`);
    return { id, make, clientKey: (await this.client.get(make.project)).body.client_key };
  }

  /** @param path on the project's pages; below `/consent`, the snippet waits for consent, and below `/hidden`, the page is hidden */
  at({ clientKey }: LiveProject, path: string): string {
    return `${this.origin}/${clientKey}${path}`;
  }

  async visit(project: LiveProject, path: string, options: VisitorOptions = {}): Promise<Visitor> {
    const visitor = await Visitor.come(this.browser, project.clientKey, options);
    this.visitors.push(visitor);
    await visitor.page.goto(this.at(project, path));
    return visitor;
  }

  /** Opens a page as the same visitor in a new browser context, which has no cache and requests the script again. */
  async visitAgain(project: LiveProject, path: string, { context }: Visitor): Promise<Visitor> {
    return this.visit(project, path, { storageState: await context.storageState() });
  }

  async everybodyLeaves(): Promise<void> {
    await Promise.all(this.visitors.splice(0).map((visitor) => visitor.leave()));
  }

  /** Makes the server unreachable while the callback runs. */
  async withoutServer(meanwhile: () => Promise<void>): Promise<void> {
    const server = this.api.app.getHttpServer();
    const { port } = server.address() as AddressInfo;
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
    await meanwhile();
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  }

  /** The results, by `api_name` of the goal and id of the variation. */
  async figures(experiment: { path: string }): Promise<Record<string, Record<number, Figures>>> {
    await attributeAll(this.api);
    const { body } = await this.client.get(`${experiment.path}/results`);
    const results = body as { api_name: string; variationStatistics: Record<number, Figures> }[];
    return Object.fromEntries(
      results.map(({ api_name, variationStatistics }) => [
        api_name,
        Object.fromEntries(
          Object.entries(variationStatistics).map(([id, figures]) => [id, onlyCounted(figures)]),
        ),
      ]),
    );
  }

  /** The number of participants of an experiment. */
  async participants(experiment: { path: string }): Promise<number> {
    await attributeAll(this.api);
    return (await this.client.get(`${experiment.path}/results/info`)).body.participants;
  }
}

const onlyCounted = ({ participants, conversions, totalConversions, totalValue }: Figures): Figures => ({
  participants,
  conversions,
  totalConversions,
  totalValue,
});

/** Serves each page with a CSP that allows only the snippet, its requests, and the site's own style sheet. */
function show(url: string, server: string, response: ServerResponse): void {
  if (url.endsWith('.css')) {
    response.writeHead(200, { 'content-type': 'text/css' }).end(STYLE);
    return;
  }
  const [, clientKey = '', first] = url.split(/[/?]/);
  const attribute = ATTRIBUTES.get(first) ?? '';
  response.writeHead(200, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': `default-src 'none'; script-src ${server}; connect-src ${server}; style-src 'self'; require-trusted-types-for 'script'`,
  });
  response.end(
    `<!doctype html><html lang="en"><head><title>Tea</title><script src="${server}/s/${clientKey}.js" ${attribute}></script><link rel="stylesheet" href="/style.css"></head><body>${BODY}</body></html>`,
  );
}

/** Two variations. All visitors see the second. */
export const forEveryone = (variation: object): object => ({
  variations: [
    { name: 'Original', traffic_allocation: 0 },
    { name: 'Variation', traffic_allocation: 100, ...variation },
  ],
});

/** The ids of an experiment's variations, in order. */
export const idsOf = ({ variations }: Made): number[] => (variations as Made[]).map(({ id }) => id);
