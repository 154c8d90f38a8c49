import { randomUUID } from 'node:crypto';
import { attributeAll, MessageFields } from '../support/events';
import { at, identify, LinkStage } from '../support/linked-visitors';
import { useScene } from '../support/scene';

/* Results for visitors with several ids. */

const scene = useScene();
const stage = new LinkStage(scene);

describe('a visitor who is anonymous first and signs in later', () => {
  it.each([0, 1, 2])('is one participant, with the link at position %i in a batch', async (place) => {
    const messages = [stage.viewed(stage.anonymous, 1), stage.bought(stage.user, 20)];
    messages.splice(place, 0, identify(stage.anonymous, stage.user));
    await stage.collect(...messages);
    expect(await stage.results()).toEqual([
      [0, 0, 0],
      [1, 1, 20],
    ]);
  });

  it('counts conversions under either id', async () => {
    await stage.collect(stage.viewed(stage.anonymous, 1), stage.bought(stage.anonymous, 1));
    await stage.collect(identify(stage.anonymous, stage.user), stage.bought(stage.user, 2));
    await stage.collect(stage.bought(stage.anonymous, 4), stage.bought(stage.user, 8));
    expect(await stage.results()).toEqual([
      [0, 0, 0],
      [1, 1, 15],
    ]);
  });

  it('counts as two participants until the link arrives, and as one from then on', async () => {
    await stage.collect(stage.viewed(stage.anonymous, 0), stage.bought(stage.user, 20, at(1)));
    await stage.collect(stage.viewed(stage.user, 0, at(2)), stage.bought(stage.user, 5));
    expect(await stage.results()).toEqual([
      [2, 1, 5],
      [0, 0, 0],
    ]);
    const path = `${stage.experiment.path}/results`;
    const { etag } = (await scene.client.get(path)).headers;
    await stage.collect(identify(stage.anonymous, stage.user));
    expect(await stage.results()).toEqual([
      [1, 1, 25],
      [0, 0, 0],
    ]);
    expect((await scene.client.get(path)).headers.etag).not.toBe(etag);
    expect((await stage.info()).crossovers).toBe(0);
  });

  it.each([
    [
      'the anonymous id',
      1,
      2,
      [
        [0, 0, 0],
        [1, 1, 7],
      ],
    ],
    [
      'the user id',
      2,
      1,
      [
        [1, 1, 7],
        [0, 0, 0],
      ],
    ],
  ])('is a crossover in the variation that was shown first, under %s', async (_, first, second, expected) => {
    await stage.collect(
      stage.viewed(stage.anonymous, 1, at(first)),
      stage.viewed(stage.user, 0, at(second)),
      stage.bought(stage.user, 7),
    );
    expect(await stage.results()).toEqual(
      first < second
        ? [
            [1, 1, 7],
            [1, 0, 0],
          ]
        : [
            [1, 1, 7],
            [1, 0, 0],
          ],
    );
    expect((await stage.info()).crossovers).toBe(0);
    await stage.collect(identify(stage.anonymous, stage.user));
    expect(await stage.results()).toEqual(expected);
    expect((await stage.info()).crossovers).toBe(1);
  });

  it('counts conversions under any id from the earliest exposure', async () => {
    await stage.collect(
      stage.bought(stage.user, 1, at(1)),
      stage.viewed(stage.anonymous, 0, at(2)),
      stage.bought(stage.user, 2, at(3)),
    );
    await stage.collect(stage.viewed(stage.user, 0, at(4)), stage.bought(stage.anonymous, 4, at(5)));
    await stage.collect(identify(stage.anonymous, stage.user));
    expect(await stage.results()).toEqual([
      [1, 1, 6],
      [0, 0, 0],
    ]);
  });

  it('is counted with the device type of the earliest exposure', async () => {
    const on = (type: string): MessageFields => ({ context: { device: { type } } });
    await stage.collect(stage.viewed(stage.user, 0, { ...at(2), ...on('desktop') }));
    await stage.collect(
      stage.viewed(stage.phone, 0, { ...at(1), ...on('mobile') }),
      stage.bought(stage.user, 3),
    );
    expect(await stage.results('?deviceTypes=desktop')).toEqual([
      [1, 1, 3],
      [0, 0, 0],
    ]);
    await stage.collect(identify(stage.phone, stage.user));
    expect(await stage.results('?deviceTypes=desktop')).toEqual([
      [0, 0, 0],
      [0, 0, 0],
    ]);
    expect(await stage.results('?deviceTypes=mobile')).toEqual([
      [1, 1, 3],
      [0, 0, 0],
    ]);
  });

  it('counts a message once if it was sent under both ids', async () => {
    const messageId = randomUUID();
    await stage.collect(stage.viewed(stage.anonymous, 0), stage.bought(stage.anonymous, 9, { messageId }));
    await stage.collect(stage.bought(stage.user, 9, { messageId }), identify(stage.anonymous, stage.user));
    expect(await stage.results()).toEqual([
      [1, 1, 9],
      [0, 0, 0],
    ]);
  });

  it('has one value cap and one conversion count for all ids', async () => {
    await scene.client.patch(stage.goal.path, { value_cap: 10, counting: 'every' });
    await stage.collect(stage.viewed(stage.anonymous, 0), stage.bought(stage.anonymous, 8));
    await stage.collect(stage.viewed(stage.user, 0), stage.bought(stage.user, 8));
    const figures = async (): Promise<number[]> => {
      const [{ variationStatistics }] = (await scene.client.get(`${stage.experiment.path}/results`)).body;
      const [first] = Object.values<Record<string, number>>(variationStatistics);
      return [first.participants, first.totalConversions, first.totalValue, first.valuePerParticipant];
    };
    await attributeAll(scene.api);
    expect(await figures()).toEqual([2, 2, 16, 8]);
    await stage.collect(identify(stage.anonymous, stage.user));
    await attributeAll(scene.api);
    expect(await figures()).toEqual([1, 2, 16, 10]);
  });
});
