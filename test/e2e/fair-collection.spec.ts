import { randomUUID } from 'node:crypto';
import { MAX_DELIVERY_BYTES } from '../../src/common/limits';
import { storedEvents } from '../support/events';
import { behindAnotherWrite } from '../support/lock';
import { anotherProject, Made, Maker, useScene } from '../support/scene';

/* Each project has its own queue, and the server processes the queues in turn. */

const MESSAGES = 2_000;
const MAX_EVENTS = 25_000;

const scene = useScene();

interface Site {
  key: string;
  exposure: (visitor: string) => object;
}

async function siteOf(make: Maker): Promise<Site> {
  const key = (await scene.client.get(make.project)).body.client_key as string;
  const experiment = await make.withStatus('running');
  const [variation] = experiment.variations as Made[];
  const properties = { experiment_id: experiment.id, variation_id: variation.id };
  return {
    key,
    exposure: (anonymousId) => ({
      type: 'track',
      event: 'Experiment Viewed',
      anonymousId,
      messageId: randomUUID(),
      properties,
    }),
  };
}

const post = (writeKey: string, batch: unknown[]) =>
  scene.api.as(null).post('//v1/batch', { writeKey, batch });

const flood = (site: Site, visitor: string): object[] =>
  [...Array(MESSAGES).keys()].map(() => site.exposure(visitor));

let busy: Site;
let quiet: Site;

beforeAll(async () => {
  busy = await siteOf(scene.make);
  quiet = await siteOf(await anotherProject(scene));
  for (const site of [busy, quiet]) {
    expect((await post(site.key, [site.exposure('first')])).status).toBe(200);
  }
});

/** The names of requests, in the order of their responses. */
class Answers {
  readonly order: string[] = [];

  async of(name: string, request: Promise<{ status: number }>): Promise<number> {
    const { status } = await request;
    this.order.push(name);
    return status;
  }
}

describe('flooding one project', () => {
  it('delays a single event of another project by only a few commits', async () => {
    const answers = new Answers();
    // The flood is small enough to be stored on a slow machine before requests time out.
    const batches = [...Array(6).keys()].map((number) => flood(busy, `flood-${number}`));
    const statuses = await behindAnotherWrite(
      scene.api,
      scene.world.projectId,
      () => Promise.resolve(),
      async () => {
        const flooding = batches.map((batch) => answers.of('flood', post(busy.key, batch)));
        // The whole flood is queued before the other event arrives.
        await Promise.resolve();
        return Promise.all([...flooding, answers.of('single', post(quiet.key, [quiet.exposure('single')]))]);
      },
    );
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(answers.order.indexOf('single')).toBeLessThan(5);
    const stored = (await storedEvents(scene.api)).filter(({ visitor_id }) => visitor_id === 'single');
    expect(stored).toHaveLength(1);
  });

  it("is rejected above the project's queue limit, without affecting other projects", async () => {
    const answers = await behindAnotherWrite(
      scene.api,
      scene.world.projectId,
      async (tx) => {
        await tx.query('UPDATE projects SET version = version WHERE id = ?', [scene.world.projectId]);
      },
      () =>
        Promise.all([
          ...[...Array(20).keys()].map((number) => post(busy.key, flood(busy, `more-${number}`))),
          post(quiet.key, [quiet.exposure('patient')]),
        ]),
    );
    const other = answers.pop();
    const refused = answers.filter(({ status }) => status === 503);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused[0].headers['retry-after']).toBe('1');
    expect(other).toMatchObject({ status: 200, body: { accepted: 1 } });
    const taken = answers.flatMap(({ status }, number) => (status === 200 ? [`more-${number}`] : []));
    const stored = (await storedEvents(scene.api)).map(({ visitor_id }) => visitor_id);
    expect(stored.filter((id) => id.startsWith('more-'))).toHaveLength(taken.length * MESSAGES);
  });
});

describe('a batch', () => {
  it('that can never fit in the queue is rejected with 413 and the limit', async () => {
    const { status, body, headers } = await post(busy.key, Array<number>(MAX_EVENTS + 1).fill(0));
    expect([status, body, headers['retry-after']]).toEqual([
      413,
      {
        message: 'At most 25,000 events can be sent at once.',
        code: 'TOO_MANY_EVENTS',
        max_events: MAX_EVENTS,
      },
      undefined,
    ]);
    const largest = await post(busy.key, Array<number>(MAX_EVENTS).fill(0));
    expect([largest.status, largest.body.rejected]).toEqual([200, MAX_EVENTS]);
  });

  it('with an unknown key is rejected without waiting', async () => {
    const answers = await behindAnotherWrite(
      scene.api,
      scene.world.projectId,
      () => Promise.resolve(),
      async () => {
        const order = new Answers();
        const waiting = order.of('waiting', post(busy.key, [busy.exposure('waiting')]));
        const unknown = await Promise.all(
          [...Array(50).keys()].map((number) =>
            order.of('unknown', post(`pk_${String(number).padStart(24, 'x')}`, flood(busy, 'nobody'))),
          ),
        );
        expect(new Set(unknown)).toEqual(new Set([401]));
        return [await waiting, order.order.length] as const;
      },
    );
    expect(answers).toEqual([200, 51]);
  });
});

it('metrics count refusals by reason', async () => {
  const { status } = await post(busy.key, ['x'.repeat(MAX_DELIVERY_BYTES)]);
  expect(status).toBe(413);
  const { text } = await scene.api.as(null).get('//metrics');
  const count = (reason: string): number =>
    Number(new RegExp(`gosset_events_refused_total\\{reason="${reason}"\\} (\\d+)`).exec(text)?.[1]);
  // A body that is too large is not read, so it counts as one event.
  expect(count('too_large')).toBe(MAX_EVENTS + 1 + 1);
  expect(count('unknown_key')).toBe(50 * MESSAGES);
  expect(count('queue_full')).toBeGreaterThanOrEqual(MESSAGES);
});
