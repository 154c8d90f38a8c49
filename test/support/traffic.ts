import { setTimeout as sleep } from 'node:timers/promises';
import type { TestApi } from './api';
import { conversion, exposure, MessageFields } from './events';
import type { Made } from './scene';

const PAUSE_MS = 50;
const FURTHER_MS = 500;
const REQUEST_MS = 20_000;
const COUNTED_MS = 60_000;

export interface TrafficOptions {
  /** The number of participants. */
  visitors: number;
  /** Conversions per participant. */
  conversions: number;
  /** The number of visitors per request. */
  batch: number;
  /** The number of concurrent senders. */
  senders: number;
  /** Further visitors are added until this returns true. By default, none are added. */
  isOver?: () => boolean;
}

/** The results of one variation. */
interface Figures {
  participants: number;
  totalConversions: number;
  totalValue: number;
}

/** Time between an exposure and its conversions. It is long enough that clock differences do not change their order. */
export const AFTER_EXPOSURE_MS = 5;

/**
 * Sends visitors' messages to any of several servers. Like a browser, retries unacknowledged messages until all are
 * acknowledged, each time on the next server.
 */
export class Traffic {
  /** The number of responses by status; 0 for broken connections. */
  readonly statuses = new Map<number, number>();
  /** The ids of acknowledged events. Messages that link ids are not events. */
  readonly acknowledged: string[] = [];
  private readonly sent: { variation: number; value: number }[] = [];
  private requests = 0;

  /** @param experiment must be running, with one goal named Sale that has values */
  constructor(
    private readonly clientKey: string,
    private readonly experiment: Made,
    private readonly options: TrafficOptions,
  ) {}

  /** Sends all messages. @param addresses the addresses of the servers */
  async send(addresses: readonly string[]): Promise<void> {
    const { visitors, batch, senders, isOver = () => true } = this.options;
    const groups = inPieces([...Array(visitors).keys()], batch);
    let coming = visitors;
    const sender = async (): Promise<void> => {
      for (let group = groups.shift(); group !== undefined; group = groups.shift()) {
        await this.sendGroup(group, addresses);
      }
      while (!isOver()) {
        const further = Array.from({ length: batch }, (_, index) => coming + index);
        coming += batch;
        await this.sendGroup(further, addresses);
        await sleep(FURTHER_MS);
      }
    };
    await Promise.all(Array.from({ length: senders }, sender));
  }

  /** Sends the exposures of a group of visitors, and then their conversions, to several servers at the same time. */
  protected async sendGroup(visitors: readonly number[], addresses: readonly string[]): Promise<void> {
    await this.deliver(
      visitors.map((visitor) => this.exposureOf(visitor)),
      addresses,
    );
    await sleep(AFTER_EXPOSURE_MS);
    const rounds = Array.from({ length: this.options.conversions }, () =>
      visitors.map((visitor) => conversion(nameOf(visitor), 'sale', visitor % 7, UNTIMED)),
    );
    await Promise.all(rounds.map((messages) => this.deliver(messages, addresses)));
  }

  /** The expected results, by variation id. */
  expected(): Record<string, Figures> {
    const figures: Record<string, Figures> = {};
    for (const { id } of this.experiment.variations as Made[]) {
      const own = this.sent.filter(({ variation }) => variation === id);
      const conversions = own.length * this.options.conversions;
      const totalValue = own.reduce((sum, { value }) => sum + value * this.options.conversions, 0);
      figures[id] = { participants: own.length, totalConversions: conversions, totalValue };
    }
    return figures;
  }

  /** Waits up to a minute for the expected results. @returns the last results */
  async counted(api: TestApi, token: string): Promise<Record<string, Figures>> {
    const deadline = Date.now() + COUNTED_MS;
    const wanted = JSON.stringify(this.expected());
    for (;;) {
      const figures = await this.figures(api, token);
      if (JSON.stringify(figures) === wanted || Date.now() > deadline) {
        return figures;
      }
      await sleep(250);
    }
  }

  /** The number of acknowledged events in the event table, and the number of all rows of the project there. */
  async stored(api: TestApi): Promise<{ found: number; rows: number }> {
    const rows: { event_id: string }[] = await api.database.read.query(
      'SELECT event_id FROM events WHERE project_id = ?',
      [this.experiment.project_id],
    );
    const ids = new Set(rows.map(({ event_id }) => event_id));
    return { found: this.acknowledged.filter((id) => ids.has(id)).length, rows: rows.length };
  }

  private async figures(api: TestApi, token: string): Promise<Record<string, Figures>> {
    const { status, body } = await api.as(token).get(`${this.experiment.path}/results`);
    if (status !== 200) {
      return {};
    }
    const statistics = Object.values(body[0].variationStatistics as object) as (Figures & { id: number })[];
    return Object.fromEntries(
      statistics.map(({ id, participants, totalConversions, totalValue }) => [
        id,
        { participants, totalConversions, totalValue },
      ]),
    );
  }

  protected exposureOf(visitor: number, name = nameOf(visitor)): MessageFields {
    const variation = (this.experiment.variations as Made[])[visitor % 2].id;
    this.sent.push({ variation, value: visitor % 7 });
    return exposure(name, this.experiment.id, variation, UNTIMED);
  }

  protected async deliver(batch: MessageFields[], addresses: readonly string[]): Promise<void> {
    for (;;) {
      this.requests += 1;
      const status = await this.post(addresses[this.requests % addresses.length], batch);
      this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
      if (status === 200) {
        const events = batch.filter(({ type }) => type === 'track');
        this.acknowledged.push(...events.map(({ messageId }) => String(messageId)));
        return;
      }
      await sleep(PAUSE_MS);
    }
  }

  private async post(address: string, batch: MessageFields[]): Promise<number> {
    try {
      const answer = await fetch(`${address}/v1/batch`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ writeKey: this.clientKey, batch }),
        signal: AbortSignal.timeout(REQUEST_MS),
      });
      const { accepted } = (await answer.json()) as { accepted?: number };
      return answer.status === 200 && accepted !== batch.length ? -1 : answer.status;
    } catch {
      return 0;
    }
  }
}

/** A message without a timestamp gets its time of arrival. */
export const UNTIMED = { timestamp: undefined };

const nameOf = (visitor: number): string => `visitor-${visitor}`;

const inPieces = <T>(items: T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, piece) =>
    items.slice(piece * size, (piece + 1) * size),
  );
