import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { attribute } from '../../src/events/attribution';
import { groupByVisitor } from '../../src/events/attributor';
import { CellChanges } from '../../src/events/cell-changes';
import { attributeAll, shownCells, StoredRow, storedEvents } from '../support/events';
import { Made, useScene } from '../support/scene';
import { ServerProcess } from '../support/server-process';

const KILLS = 10;
const CLIENTS = 6;
const MIN_LIFE_MS = 50;
const MAX_LIFE_MS = 700;

const scene = useScene();
let key: string;
let experiment: Made;

beforeAll(async () => {
  key = (await scene.client.get(scene.project)).body.client_key as string;
  const goal = await scene.make.goal({ name: 'Sale', value_type: 'revenue' });
  experiment = await scene.make.withStatus('running', { goals: [goal.id] });
});

/** Somebody who comes back in later batches, now and then in another variation. */
function messagesOf(visitor: string): object[] {
  const variation = experiment.variations[Math.random() < 0.9 ? 0 : 1] as Made;
  const track = (event: string, properties: object): object => ({
    type: 'track',
    event,
    anonymousId: visitor,
    messageId: randomUUID(),
    properties,
  });
  return [
    track('Experiment Viewed', { experiment_id: experiment.id, variation_id: variation.id }),
    track('sale', { value: Math.round(Math.random() * 10_000) / 100 }),
    track('sale', {}),
  ];
}

const idOf = (message: object): string => (message as { messageId: string }).messageId;

/** Sends batches until the server is gone, and what was not acknowledged again, to whoever serves next. */
class Sender {
  readonly acknowledged: string[] = [];
  readonly sent = new Set<string>();
  private unacknowledged: object[][] = [];

  constructor(private readonly visitors: string[]) {}

  async run(address: string): Promise<void> {
    for (;;) {
      const batch = this.unacknowledged.shift() ?? this.visitors.flatMap(messagesOf);
      batch.forEach((message) => this.sent.add(idOf(message)));
      const isCommitted = await deliver(address, batch);
      if (!isCommitted) {
        this.unacknowledged.push(batch);
        return;
      }
      this.acknowledged.push(...batch.map(idOf));
    }
  }
}

async function deliver(address: string, batch: object[]): Promise<boolean> {
  try {
    const body = JSON.stringify({ writeKey: key, batch });
    const answer = await fetch(`${address}/v1/batch`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    const { accepted } = (await answer.json()) as { accepted: number };
    return answer.status === 200 && accepted === batch.length;
  } catch {
    return false;
  }
}

/** The cells that the stored events come to. */
function cellsOf(rows: readonly StoredRow[]): string[] {
  const sums = new CellChanges();
  for (const { events } of groupByVisitor(rows)) {
    attribute(events)
      .flatMap(({ contributions }) => contributions)
      .forEach((contribution) => sums.add(contribution));
  }
  return sums
    .list()
    .map(({ experiment_id, goal_id, participants, converters, conversions, value, value_squared }) =>
      [experiment_id, goal_id, participants, converters, conversions, value, value_squared].join(' '),
    )
    .sort();
}

const figuresOf = (cell: string): string => {
  const figures = Object.fromEntries(cell.split(' ').map((part) => part.split('=')));
  const names = [
    'experiment_id',
    'goal_id',
    'participants',
    'converters',
    'conversions',
    'value',
    'value_squared',
  ];
  return names.map((name) => figures[name]).join(' ');
};

describe('a server that is killed', () => {
  it('loses no acknowledged event, and counts none twice', async () => {
    const senders = [...Array(CLIENTS).keys()].map(
      () => new Sender([...Array(6).keys()].map(() => randomUUID())),
    );
    for (let kill = 0; kill < KILLS; kill += 1) {
      const server = await (
        await ServerProcess.spawn({ DATABASE_URL: scene.api.databaseUrl, LOG_LEVEL: 'silent' })
      ).ready();
      const sending = senders.map((sender) => sender.run(server.address));
      await sleep(MIN_LIFE_MS + Math.random() * (MAX_LIFE_MS - MIN_LIFE_MS));
      server.kill('SIGKILL');
      await Promise.all([...sending, server.exit]);
    }

    const rows = await storedEvents(scene.api);
    const stored = new Set(rows.map(({ event_id }) => event_id));
    const acknowledged = senders.flatMap((sender) => sender.acknowledged);
    expect(acknowledged.length).toBeGreaterThan(KILLS * CLIENTS);
    expect(acknowledged.filter((id) => !stored.has(id))).toEqual([]);
    expect(stored.size).toBe(rows.length);
    const sent = new Set(senders.flatMap((sender) => [...sender.sent]));
    expect([...stored].filter((id) => !sent.has(id))).toEqual([]);

    await attributeAll(scene.api);
    expect((await shownCells(scene.api)).map(figuresOf).sort()).toEqual(cellsOf(rows));
  }, 180_000);
});
