import { randomUUID } from 'node:crypto';
import { attribute, COUNTS, EXACT_SUMS } from '../../src/events/attribution';
import { groupByVisitor } from '../../src/events/stored-events.store';
import { CellChanges } from '../../src/events/cell-changes';
import { WITHOUT_END } from '../../src/events/counting-rules';
import type { TestApi } from './api';
import { attributeAll, shownCells, StoredRow, storedEvents } from './events';
import type { Made } from './scene';

const FIGURES = ['experiment_id', 'goal_id', ...COUNTS, ...EXACT_SUMS] as const;

/** Sends a batch to a server. Resolves to null if there was no response. */
export type Deliver = (batch: object[]) => Promise<{ status: number; accepted?: number } | null>;

/** Posts batches to the server at this address. */
export const deliverTo =
  (address: string, key: string): Deliver =>
  async (batch) => {
    try {
      const answer = await fetch(`${address}/v1/batch`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ writeKey: key, batch }),
      });
      return { status: answer.status, ...((await answer.json()) as object) };
    } catch {
      return null;
    }
  };

/**
 * Sends events of visitors who return in later batches, sometimes in another variation, and records what was
 * acknowledged.
 */
export class Ledger {
  readonly acknowledged: string[] = [];
  readonly sent = new Set<string>();
  private readonly visitors: string[];
  private unacknowledged: object[][] = [];

  /** @param experiment must be running, with a revenue goal named "Sale" */
  constructor(
    private readonly experiment: Made,
    visitors = 6,
  ) {
    this.visitors = [...Array(visitors).keys()].map(() => randomUUID());
  }

  /** Sends a new batch, or retries an unacknowledged one. @returns the status; 0 if there was no response */
  async send(deliver: Deliver): Promise<number> {
    const batch = this.unacknowledged.shift() ?? this.visitors.flatMap((visitor) => this.messagesOf(visitor));
    batch.forEach((message) => this.sent.add(idOf(message)));
    const answer = await deliver(batch);
    if (answer?.status === 200 && answer.accepted === batch.length) {
      this.acknowledged.push(...batch.map(idOf));
    } else {
      this.unacknowledged.push(batch);
    }
    return answer?.status ?? 0;
  }

  /** Whether all sent events have been acknowledged. */
  get isSettled(): boolean {
    return this.unacknowledged.length === 0;
  }

  private messagesOf(visitor: string): object[] {
    const variations = this.experiment.variations as Made[];
    const variation = variations[Math.random() < 0.9 ? 0 : 1];
    const track = (event: string, properties: object): object => ({
      type: 'track',
      event,
      anonymousId: visitor,
      messageId: randomUUID(),
      properties,
    });
    return [
      track('Experiment Viewed', { experiment_id: this.experiment.id, variation_id: variation?.id }),
      track('sale', { value: Math.round(Math.random() * 10_000) / 100 }),
      track('sale', {}),
    ];
  }
}

const idOf = (message: object): string => (message as { messageId: string }).messageId;

/**
 * Asserts that all acknowledged events are stored, and that stored events are counted once. An unacknowledged batch can
 * also be stored if its response was lost.
 * @param api an application on the database with the events, without a worker
 */
export async function expectStoredAndCountedOnce(api: TestApi, ledgers: readonly Ledger[]): Promise<void> {
  const rows = await storedEvents(api);
  const stored = new Set(rows.map(({ event_id }) => event_id));
  const acknowledged = ledgers.flatMap((ledger) => ledger.acknowledged);
  expect(acknowledged.filter((id) => !stored.has(id))).toEqual([]);
  expect(stored.size).toBe(rows.length);
  const sent = new Set(ledgers.flatMap((ledger) => [...ledger.sent]));
  expect([...stored].filter((id) => !sent.has(id))).toEqual([]);

  await attributeAll(api);
  expect((await shownCells(api)).map(figuresOf).sort()).toEqual(cellsOf(rows));
}

/** Computes the cells from the stored events. */
export function cellsOf(rows: readonly StoredRow[]): string[] {
  const sums = new CellChanges();
  for (const { events } of groupByVisitor(rows)) {
    attribute(events, new Map(events.map(({ experiment_id }) => [experiment_id ?? 0, WITHOUT_END])))
      .flatMap(({ contributions }) => contributions)
      .forEach((contribution) => sums.add(contribution));
  }
  return sums
    .list()
    .map((cell) => FIGURES.map((name) => String(cell[name])).join(' '))
    .sort();
}

/** The figures of a cell from `shownCells`, in the format of `cellsOf`. */
export function figuresOf(cell: string): string {
  const figures = Object.fromEntries(cell.split(' ').map((part) => part.split('=')));
  return FIGURES.map((name) => String(figures[name])).join(' ');
}
