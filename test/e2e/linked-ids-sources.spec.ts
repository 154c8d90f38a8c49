import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GrowthBook } from '@growthbook/growthbook';
import { growthbookTrackingPlugin } from '@growthbook/growthbook/plugins';
import { Analytics } from '@segment/analytics-node';
import { AdminCommand } from '../support/admin';
import { storedEvents } from '../support/events';
import { at, identify, LinkStage } from '../support/linked-visitors';
import { useScene } from '../support/scene';
import { listening } from '../support/web-server';

/* Sources of links: libraries with default options, events with an API token, and imported files. */

const scene = useScene();
const stage = new LinkStage(scene);
let address: string;

beforeAll(async () => {
  address = await listening(scene.api.app);
});

/** Runs code with @segment/analytics-node and default options, then closes the library, which sends all messages. */
async function withAnalytics(use: (analytics: Analytics) => void): Promise<void> {
  const analytics = new Analytics({ writeKey: stage.key, host: address });
  const failures: unknown[] = [];
  analytics.on('error', (error) => failures.push(error));
  use(analytics);
  await analytics.closeAndFlush();
  expect(failures).toEqual([]);
}

const shown = (arm: number) => ({
  event: 'Experiment Viewed',
  properties: {
    experiment_id: stage.experiment.api_name,
    variation_id: stage.experiment.variations[arm].api_name as string,
  },
});
const paid = (value: number) => ({ event: stage.goal.api_name as string, properties: { value } });

describe('@segment/analytics-node', () => {
  it('links earlier and later events through identify', async () => {
    const { anonymous, user } = stage;
    await withAnalytics((analytics) => {
      analytics.track({ anonymousId: anonymous, ...shown(1), timestamp: new Date(Date.now() - 60_000) });
      analytics.track({ userId: user, ...paid(3) });
      analytics.identify({ anonymousId: anonymous, userId: user, traits: { plan: 'premium' } });
    });
    await withAnalytics((analytics) => {
      analytics.identify({ userId: user, traits: { plan: 'basic' } });
      analytics.track({ userId: user, ...paid(4) });
    });
    expect(await stage.results()).toEqual([
      [0, 0, 0],
      [1, 1, 7],
    ]);
  });

  it('links ids through alias', async () => {
    const { anonymous, user } = stage;
    await withAnalytics((analytics) => {
      analytics.track({ anonymousId: anonymous, ...shown(0), timestamp: new Date(Date.now() - 60_000) });
      analytics.alias({ previousId: anonymous, userId: user });
      analytics.track({ userId: user, ...paid(5) });
    });
    expect(await stage.results()).toEqual([
      [1, 1, 5],
      [0, 0, 0],
    ]);
  });
});

describe("GrowthBook's tracking plugin", () => {
  it.each(['device_id', 'anonymous_id'])('links the id to the %s of the exposure', async (attribute) => {
    const { anonymous, user } = stage;
    const sdk = new GrowthBook({
      apiHost: address,
      clientKey: stage.key,
      attributes: { id: user, [attribute]: anonymous },
      plugins: [growthbookTrackingPlugin({ ingestorHost: address })],
    });
    // Payloads of earlier tests are cached.
    await sdk.init({ timeout: 60_000, skipCache: true });
    expect(sdk.evalFeature(stage.experiment.api_name as string).source).toBe('experiment');
    await sdk.logEvent(stage.goal.api_name as string, { value: 6 });
    sdk.destroy();
    const own = (await storedEvents(scene.api)).filter(
      ({ experiment_id, goal_id }) => experiment_id === stage.experiment.id || goal_id === stage.goal.id,
    );
    expect(own.map(({ visitor_id }) => visitor_id).sort()).toEqual([anonymous, user].sort());
    const [first, second] = await stage.results();
    expect(first.map((count, index) => count + second[index])).toEqual([1, 1, 6]);
  });

  it('links a numeric id with the user_id that later conversions have', async () => {
    const sdk = new GrowthBook({
      apiHost: address,
      clientKey: stage.key,
      attributes: { id: 4711, user_id: stage.user },
      plugins: [growthbookTrackingPlugin({ ingestorHost: address })],
    });
    await sdk.init({ timeout: 60_000, skipCache: true });
    expect(sdk.evalFeature(stage.experiment.api_name as string).source).toBe('experiment');
    await sdk.logEvent(stage.goal.api_name as string, { value: 6 });
    sdk.destroy();
    const [first, second] = await stage.results();
    expect(first.map((count, index) => count + second[index])).toEqual([1, 1, 6]);
  });

  it('links nothing through a rejected exposure', async () => {
    const { anonymous, user } = stage;
    const properties_json = { experimentId: 'exp-999999', variationId: '1', hashValue: user };
    const event = { event_name: 'Experiment Viewed', properties_json, device_id: anonymous };
    const { body } = await scene.api.as(null).post(`//track?client_key=${stage.key}`, [event]);
    expect(body).toMatchObject({ accepted: 0, rejected: 1 });
    await stage.collect(stage.viewed(anonymous, 0), stage.bought(user, 1));
    expect(await stage.results()).toEqual([
      [1, 0, 0],
      [0, 0, 0],
    ]);
  });
});

describe('events with an API token', () => {
  it('link ids, except in a dry run', async () => {
    const { anonymous, user } = stage;
    const batch = [stage.viewed(anonymous, 0), stage.bought(user, 8)];
    const post = (messages: unknown[], query = '') =>
      scene.client.post(`${scene.project}/events${query}`, { batch: messages });
    expect((await post(batch)).body.accepted).toBe(2);
    expect((await post([identify(anonymous, user)], '?dry_run=1')).body.accepted).toBe(1);
    expect((await stage.results())[0]).toEqual([1, 0, 0]);
    expect((await post([identify(anonymous, user)])).body.accepted).toBe(1);
    expect((await stage.results())[0]).toEqual([1, 1, 8]);
  });
});

describe('an import', () => {
  let admin: AdminCommand;

  beforeAll(() => {
    admin = new AdminCommand(scene.api.databaseUrl);
  });

  afterAll(() => admin.remove());

  it.each(['ndjson', 'csv'])('of %s links ids', async (format) => {
    const { anonymous, user } = stage;
    const { id, variations } = stage.experiment;
    const { timestamp } = at(0);
    const rows = [
      { type: 'identify', anonymousId: anonymous, userId: user, messageId: randomUUID(), timestamp },
      {
        type: 'track',
        event: 'Experiment Viewed',
        anonymousId: anonymous,
        messageId: randomUUID(),
        timestamp,
      },
      { type: 'track', event: stage.goal.api_name, anonymousId: user, messageId: randomUUID(), timestamp },
    ];
    Object.assign(rows[1], { experiment_id: id, variation_id: variations[1].id });
    const columns = [
      'type',
      'event',
      'anonymousId',
      'userId',
      'messageId',
      'timestamp',
      'experiment_id',
      'variation_id',
    ];
    const cell = (row: object, column: string): string => (row as Record<string, string>)[column] ?? '';
    const lines =
      format === 'csv'
        ? [columns.join(','), ...rows.map((row) => columns.map((column) => cell(row, column)).join(','))]
        : rows.map((row) => JSON.stringify(row));
    const file = join(admin.folder, `${anonymous}.${format}`);
    writeFileSync(file, `${lines.join('\n')}\n`);
    const project = String(scene.world.projectId);
    const report = await admin.json(['events:import', '--project', project, '--file', file]);
    expect([report.accepted, report.rejected]).toEqual([3, 0]);
    expect(await stage.results()).toEqual([
      [0, 0, 0],
      [1, 1, 0],
    ]);
  });
});
