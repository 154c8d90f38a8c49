import { createServer, IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import type { Message } from '../../src/events/messages';
import { snippetScript } from '../../src/publishing/build/publication-content';
import { runtimeBundle } from '../../src/publishing/runtime-bundle';
import { launchBrowser, USER_AGENT } from './browser';
import { CLIENT_KEY, literalOf, WrittenConfig } from './snippet-config';
import { until } from './waiting';

const SCRIPT = { 'content-type': 'text/javascript', 'access-control-allow-origin': '*' };
const COLLECTION = { 'access-control-allow-origin': '*', 'access-control-expose-headers': 'retry-after' };
const BODY =
  '<h1>Original</h1><button id="buy"><b>Buy</b></button><a id="next" href="/next">Next</a><p id="text">Text</p>';

export type SentMessage = Message & {
  messageId: string;
  anonymousId: string;
  properties: Record<string, unknown>;
};

/** How the server responds to events. */
interface Collector {
  /** The status; 0 closes the connection instead. */
  status: number;
  headers?: Record<string, string>;
  /** What something else than the server responds in place of the receipt. The events are then not received. */
  body?: string;
  /** The maximum batch size. Larger batches get 413. */
  most?: number;
  /** Returns whether a message is rejected; by default, none is. */
  rejects?: (message: SentMessage) => boolean;
  /** The server does not respond before this promise is fulfilled. */
  after?: Promise<void>;
}

/** How the snippet is integrated into a site. */
interface Usage {
  withAgent: boolean;
  /** Attributes of the script tag. */
  tag: string;
  /** The number of script tags. */
  tags: number;
  /** Whether the tags contain the script instead of its address. */
  isInline: boolean;
}

interface VisitOptions extends BrowserContextOptions {
  /** A script that runs on each page before all other scripts. */
  before?: string;
}

/** An opened page, with the messages of the browser. */
export interface SiteVisit {
  context: BrowserContext;
  page: Page;
  complaints: string[];
}

async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return String((server.address() as AddressInfo).port);
}

/** A website with the snippet, and a server that serves the snippet and collects events. */
export class SnippetSite {
  /** How the server responds to events. */
  collector: Collector = { status: 200 };
  /** The bodies of all event requests, including rejected ones. */
  readonly deliveries: { writeKey: string; sentAt: string; batch: SentMessage[] }[] = [];
  /** The URLs of requests for preview scripts. */
  readonly previews: string[] = [];
  private readonly received = new Map<string, SentMessage>();
  private readonly server = createServer((request, response) => void this.serve(request, response));
  private readonly shop = createServer((_, response) => this.showPage(response));
  private host = '';
  private address = '';
  private script = '';
  /** The preview script; null if there is none. */
  private previewScript: string | null = null;
  private usage: Usage = { withAgent: false, tag: '', tags: 1, isInline: false };
  private readonly visits: SiteVisit[] = [];
  /** Requests that were sent before this time are not recorded, in milliseconds since 1970. */
  private recordedSince = 0;

  private browser: Browser;

  async start(browser: Browser): Promise<void> {
    this.browser = browser;
    this.host = `http://127.0.0.1:${await listening(this.server)}`;
    this.address = `http://localhost:${await listening(this.shop)}`;
  }

  async stop(): Promise<void> {
    await this.leave();
    for (const server of [this.server, this.shop]) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
    await this.browser.close();
  }

  /** Closes all pages, and forgets collected events. */
  async leave(): Promise<void> {
    await Promise.all(this.visits.splice(0).map(({ context }) => context.close()));
    this.forgetDeliveries();
    this.received.clear();
    this.previews.length = 0;
    this.collector = { status: 200 };
  }

  /** Empties the list of deliveries. It also ignores requests that pages have sent but that have not arrived yet. */
  forgetDeliveries(): void {
    this.recordedSince = Date.now();
    this.deliveries.length = 0;
  }

  publish(config: Omit<WrittenConfig, 'host'>, usage: Partial<Usage> = {}): void {
    this.usage = { withAgent: false, tag: '', tags: 1, isInline: false, ...usage };
    this.script = this.assemble(config);
  }

  publishPreview(config: Omit<WrittenConfig, 'host'> | null): void {
    this.previewScript = config && this.assemble(config);
  }

  async visit(path: string, { before, ...options }: VisitOptions = {}): Promise<SiteVisit> {
    const context = await this.browser.newContext({ userAgent: USER_AGENT, ...options });
    if (before !== undefined) {
      await context.addInitScript(before);
    }
    const page = await context.newPage();
    const visit: SiteVisit = { context, page, complaints: [] };
    page.on('console', (message) => visit.complaints.push(message.text()));
    page.on('pageerror', (error) => visit.complaints.push(`uncaught: ${String(error)}`));
    this.visits.push(visit);
    await page.goto(this.at(path));
    return visit;
  }

  at(path: string): string {
    return this.address + path;
  }

  /** All sent and pending events of the page, in chronological order. */
  async told(page: Page): Promise<SentMessage[]> {
    // After a route change, page views wait for exposures of the route, which the snippet sends before the next paint.
    await page.evaluate('new Promise(requestAnimationFrame)');
    // Pending events are read first. An event that is no longer pending has been received by then.
    const waiting = await waitingEvents(page);
    const all = new Map([
      ...this.received,
      ...waiting.map((message) => [message.messageId, message] as const),
    ]);
    return [...all.values()].sort((a, b) => (a.messageId < b.messageId ? -1 : 1));
  }

  /** Waits until no events are pending, and returns all received ones. */
  async delivered(page: Page): Promise<SentMessage[]> {
    await until(async () => (await waitingEvents(page)).length === 0);
    return this.told(page);
  }

  private assemble(config: Omit<WrittenConfig, 'host'>): string {
    const { code } = runtimeBundle({ agent: this.usage.withAgent });
    return snippetScript(code, literalOf({ host: this.host, ...config }));
  }

  private showPage(response: ServerResponse): void {
    const { tag, tags, isInline } = this.usage;
    response.setHeader(
      'content-security-policy',
      `default-src 'none'; script-src ${this.host} 'nonce-inline'; connect-src ${this.host}; style-src 'self'; require-trusted-types-for 'script'`,
    );
    response.setHeader('content-type', 'text/html; charset=utf-8');
    const script = isInline
      ? `<script nonce="inline" ${tag}>${this.script}</script>`
      : `<script src="${this.host}/s/${CLIENT_KEY}.js" ${tag}></script>`;
    response.end(
      `<!doctype html><html lang="en"><head><title>Shop</title>${script.repeat(tags)}</head><body>${BODY}</body></html>`,
    );
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { url = '', method } = request;
    if (method === 'POST' && url === '/v1/batch?strict=1') {
      await this.collect(request, response);
    } else if (url.split('?')[0] === `/s/${CLIENT_KEY}.js`) {
      response.writeHead(200, SCRIPT).end(this.script);
    } else {
      this.previews.push(url);
      response.writeHead(this.previewScript === null ? 404 : 200, SCRIPT).end(this.previewScript);
    }
  }

  private async collect(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { headers, body, most = Infinity, status: usual, rejects = () => false, after } = this.collector;
    const delivery = JSON.parse(await text(request)) as SnippetSite['deliveries'][number];
    // For example, requests that a page sent when it was closed can arrive during the next test.
    if (Date.parse(delivery.sentAt) < this.recordedSince) {
      response.writeHead(200, COLLECTION).end(receipt([]));
      return;
    }
    const status = delivery.batch.length > most ? 413 : usual;
    this.deliveries.push(delivery);
    await after;
    if (status === 0) {
      request.socket.destroy();
      return;
    }
    const errors = delivery.batch.flatMap((message, index) => (rejects(message) ? [{ index }] : []));
    if (status === 200 && body === undefined) {
      delivery.batch
        .filter((message) => !rejects(message))
        .forEach((message) => this.received.set(message.messageId, message));
    }
    response.writeHead(status, { ...COLLECTION, ...headers }).end(body ?? receipt(errors));
  }
}

const receipt = (errors: object[]): string => JSON.stringify({ success: true, errors });

/** Starts a site with its own browser for the tests of a block. Pages are closed after each test. */
export function useSnippetSite(launch: () => Promise<Browser> = launchBrowser): SnippetSite {
  const site = new SnippetSite();
  beforeAll(async () => site.start(await launch()));
  afterEach(() => site.leave());
  afterAll(() => site.stop());
  return site;
}

/** The events stored in the browser that the server has not acknowledged. */
export async function waitingEvents(page: Page): Promise<SentMessage[]> {
  const items = await page.evaluate<string[]>(
    `Object.entries(localStorage).filter(([key]) => key.startsWith('gosset.${CLIENT_KEY}.event.')).map(([, json]) => json)`,
  );
  return items.map((json) => JSON.parse(json) as SentMessage);
}

/** Loads the script through a tag without attributes that is the first in the document, as jQuery does. */
export const loadScript = (page: Page): Promise<void> =>
  page.evaluate(`new Promise((resolve) => {
    const [given] = document.scripts;
    const script = document.createElement('script');
    const policy = trustedTypes.createPolicy('page', { createScriptURL: (address) => address });
    script.src = policy.createScriptURL(given.src + '?_=1');
    script.onload = () => resolve();
    document.head.prepend(script);
  })`);

/** Waits for two animation frames, so that the page has finished the work that it does before the next paint. */
export const nextFrame = async (page: Page): Promise<void> => {
  await page.evaluate(
    'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve())))',
  );
};

export const heading = (page: Page): Promise<string> =>
  page.evaluate("document.querySelector('h1').textContent");

/** The colour of the heading, which is black in the original. */
export const colour = (page: Page): Promise<string> =>
  page.evaluate("getComputedStyle(document.querySelector('h1')).color");

export const BLACK = 'rgb(0, 0, 0)';
export const RED = 'rgb(255, 0, 0)';
