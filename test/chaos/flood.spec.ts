import { randomUUID } from 'node:crypto';
import { attributeAll, shownCells, storedEvents } from '../support/events';
import { anotherProject, Made, Maker, useScene } from '../support/scene';
import { ServerProcess } from '../support/server-process';

/* Clients flood one project of a real server while single events of another project arrive. */

/**
 * The number of flooding clients. Each always has one pending batch. Together, the batches nearly fill the queue limit
 * of one project.
 */
const FLOODERS = 40;
const BATCH = 500;
const SINGLES = 15;
const RETRY_MS = 50;

const scene = useScene();

interface Site {
  key: string;
  experiment: Made;
}

async function siteOf(make: Maker): Promise<Site> {
  const key = (await scene.client.get(make.project)).body.client_key as string;
  const { api_name } = await make.goal({ name: 'Sale', value_type: 'revenue' });
  expect(api_name).toBe('sale');
  return { key, experiment: await make.withStatus('running') };
}

/** An exposure and this number of conversions of a visitor. */
function eventsOf({ experiment }: Site, visitor: string, conversions: number): object[] {
  const [variation] = experiment.variations as Made[];
  const properties = { experiment_id: experiment.id, variation_id: variation.id };
  const track = (fields: object): object => ({
    type: 'track',
    anonymousId: visitor,
    messageId: randomUUID(),
    ...fields,
  });
  return [
    track({ event: 'Experiment Viewed', properties }),
    ...Array.from({ length: conversions }, () => track({ event: 'sale', properties: { value: 1.25 } })),
  ];
}

const idOf = (message: object): string => (message as { messageId: string }).messageId;

async function post(address: string, { key }: Site, batch: object[]): Promise<number> {
  const answer = await fetch(`${address}/v1/batch`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ writeKey: key, batch }),
  }).catch(() => null);
  const { accepted = 0 } = ((await answer?.json()) ?? {}) as { accepted?: number };
  expect(answer?.status === 200 ? accepted : batch.length).toBe(batch.length);
  return answer?.status ?? 0;
}

describe('flooding one project', () => {
  it('neither loses nor delays single events of another project, and counts each acknowledged event once', async () => {
    const [busy, quiet] = [await siteOf(scene.make), await siteOf(await anotherProject(scene))];
    const environment = {
      DATABASE_URL: scene.api.databaseUrl,
      LOG_LEVEL: 'silent',
      DELIVERY_LIMIT_PER_MINUTE: '0',
    };
    const server = await (await ServerProcess.spawn(environment)).ready();
    const acknowledged = new Map<string, string[]>([
      [busy.key, []],
      [quiet.key, []],
    ]);
    let isOver = false;
    /** The number of acknowledged batches of the flood so far. */
    let answered = 0;
    const flood = async (flooder: number): Promise<void> => {
      for (let turn = 0; !isOver; turn += 1) {
        const batch = eventsOf(busy, `flooder-${flooder}-${turn}`, BATCH - 1);
        const status = await post(server.address, busy, batch);
        expect([200, 429, 503]).toContain(status);
        if (status === 200) {
          acknowledged.get(busy.key)?.push(...batch.map(idOf));
          answered += 1;
        } else {
          await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
        }
      }
    };
    const flooding = Array.from({ length: FLOODERS }, (_, flooder) => flood(flooder));
    const delays: number[] = [];
    for (let single = 0; single < SINGLES; single += 1) {
      const batch = eventsOf(quiet, `single-${single}`, 0);
      const before = answered;
      expect(await post(server.address, quiet, batch)).toBe(200);
      acknowledged.get(quiet.key)?.push(...batch.map(idOf));
      delays.push(answered - before);
    }
    isOver = true;
    await Promise.all(flooding);
    server.kill('SIGTERM');
    await server.exit;

    // If both projects shared a queue, an event would wait for all batches of the flood.
    expect(answered).toBeGreaterThan(FLOODERS);
    const median = delays.sort((a, b) => a - b)[Math.floor(SINGLES / 2)];
    expect(median).toBeLessThanOrEqual(FLOODERS / 2);
    await everythingCountsOnce(acknowledged, [busy, quiet]);
  }, 120_000);
});

/** Asserts that exactly the acknowledged events are stored, and that each of them is counted once. */
async function everythingCountsOnce(acknowledged: Map<string, string[]>, sites: Site[]): Promise<void> {
  const stored = await storedEvents(scene.api);
  const ids = stored.map(({ event_id }) => event_id).sort();
  expect(ids).toEqual([...acknowledged.values()].flat().sort());
  await attributeAll(scene.api);
  const cells = await shownCells(scene.api);
  for (const { experiment } of sites) {
    const own = cells.filter((cell) => cell.startsWith(`experiment_id=${experiment.id} `));
    const sum = (name: string): number =>
      own.reduce((total, cell) => total + Number(new RegExp(` ${name}=(-?\\d+)`).exec(cell)?.[1]), 0);
    const visitors = stored.filter(({ experiment_id }) => experiment_id === experiment.id);
    const names = new Set(visitors.map(({ visitor_id }) => visitor_id));
    const conversions = stored.filter(({ visitor_id, goal_id }) => goal_id !== null && names.has(visitor_id));
    expect([sum('participants'), sum('conversions')]).toEqual([names.size, conversions.length]);
  }
}
