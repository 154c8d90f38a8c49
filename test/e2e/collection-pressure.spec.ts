import { randomUUID } from 'node:crypto';
import { storedEvents } from '../support/events';
import { behindAnotherWrite } from '../support/lock';
import { Made, useScene } from '../support/scene';

const MESSAGES = 2_000;
/** The number of batches. Together, they have more than 25,000 messages, the queue limit of one project. */
const BATCHES = 32;

const scene = useScene();

describe('collection while the database is busy', () => {
  it('delays clients and rejects excess batches, but never stores part of a batch', async () => {
    const key = (await scene.client.get(scene.project)).body.client_key as string;
    // The limit is high enough for all batches. Rejected batches do not count towards the limit.
    const limit = await scene.client.patch(`${scene.project}/settings`, {
      events_per_minute: BATCHES * MESSAGES,
    });
    expect(limit.status).toBe(200);
    const experiment = await scene.make.withStatus('running');
    const [variation] = experiment.variations as Made[];
    const properties = { experiment_id: experiment.id, variation_id: variation.id };
    const send = (number: number) => {
      const batch = [...Array(MESSAGES).keys()].map(() => ({
        type: 'track',
        event: 'Experiment Viewed',
        anonymousId: `visitor-${number}`,
        messageId: randomUUID(),
        properties,
      }));
      return scene.api.as(null).post('//v1/batch', { writeKey: key, batch });
    };
    const answers = await behindAnotherWrite(
      scene.api,
      scene.world.projectId,
      () => Promise.resolve(),
      () => Promise.all([...Array(BATCHES).keys()].map((number) => send(number))),
    );

    const refused = answers.filter(({ status }) => status === 503);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused[0].headers['retry-after']).toBe('1');
    expect(refused[0].body).toEqual({ message: 'Service Unavailable', code: 'UNAVAILABLE' });
    const taken = answers.flatMap(({ status }, number) => (status === 200 ? [`visitor-${number}`] : []));
    expect(taken.length + refused.length).toBe(BATCHES);
    const stored = (await storedEvents(scene.api)).map(({ visitor_id }) => visitor_id);
    expect([...new Set(stored)].sort()).toEqual(taken.sort());
    expect(stored).toHaveLength(taken.length * MESSAGES);
    expect((await send(99)).status).toBe(200);
  });
});
