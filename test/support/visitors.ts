import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { USER_AGENT } from './browser';
import { until } from './waiting';

/* Visitors of a website whose snippet comes from a real server. */

/** The data that the snippet stores about a visitor. */
export interface KeptVisitor {
  id: string;
  assignments: Record<string, string>;
}

export interface VisitorOptions extends BrowserContextOptions {
  /** A script that runs on each page before all other scripts. */
  before?: string;
}

/** A visitor with a separate browser. */
export class Visitor {
  /** Console messages, such as warnings and blocked requests, and uncaught errors. */
  readonly complaints: string[] = [];
  /** The paths of POST requests that the page has sent. */
  readonly sent: string[] = [];

  private constructor(
    readonly context: BrowserContext,
    readonly page: Page,
    private readonly clientKey: string,
  ) {
    page.on('console', (message) => this.complaints.push(message.text()));
    page.on('pageerror', (error) => this.complaints.push(String(error)));
    page.on('request', (request) => {
      if (request.method() === 'POST') {
        this.sent.push(new URL(request.url()).pathname);
      }
    });
  }

  static async come(
    browser: Browser,
    clientKey: string,
    { before, ...options }: VisitorOptions = {},
  ): Promise<Visitor> {
    const context = await browser.newContext({ userAgent: USER_AGENT, ...options });
    if (before !== undefined) {
      await context.addInitScript(before);
    }
    return new Visitor(context, await context.newPage(), clientKey);
  }

  /** The data that the snippet has stored; null if there is none. */
  async kept(): Promise<KeptVisitor | null> {
    const text = await this.page.evaluate<string | null>(`localStorage.getItem('gosset.${this.clientKey}')`);
    return text === null ? null : (JSON.parse(text) as KeptVisitor);
  }

  /** The variation of an experiment that is assigned to the visitor. */
  async variation(experimentId: number): Promise<number | undefined> {
    const id = (await this.kept())?.assignments[`exp-${experimentId}`];
    return id === undefined ? undefined : Number(id);
  }

  /** Becomes another visitor from the next page on. */
  async becomes(id: string): Promise<void> {
    await this.told();
    const record = recordOf({ id, assignments: {} });
    await this.page.evaluate(`localStorage.setItem('gosset.${this.clientKey}', ${JSON.stringify(record)})`);
  }

  /** The number of events pending in the browser. */
  waiting(): Promise<number> {
    return this.page.evaluate<number>(
      `Object.keys(localStorage).filter((key) => key.startsWith('gosset.${this.clientKey}.event.')).length`,
    );
  }

  /** Resolves when the server has acknowledged all events. */
  async told(): Promise<void> {
    await until(async () => (await this.waiting()) === 0);
  }

  /** Calls the snippet, as code of the page does. */
  push(command: object): Promise<void> {
    return this.page.evaluate(`gosset.push(${JSON.stringify(command)})`);
  }

  leave(): Promise<void> {
    return this.context.close();
  }
}

/** The JSON text that the snippet stores about a visitor. */
function recordOf({ id, assignments }: KeptVisitor): string {
  const now = Date.now();
  return JSON.stringify({ id, since: now, seen: now, assignments, exposed: [] });
}

/** The storage of a browser in which the snippet already knows a visitor. */
export const knownAt = (
  origin: string,
  clientKey: string,
  visitor: KeptVisitor,
): Exclude<BrowserContextOptions['storageState'], string | undefined> => ({
  cookies: [],
  origins: [{ origin, localStorage: [{ name: `gosset.${clientKey}`, value: recordOf(visitor) }] }],
});
