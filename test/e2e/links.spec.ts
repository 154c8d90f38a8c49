import { randomUUID } from 'node:crypto';
import { attributeAll, exposure, send } from '../support/events';
import { alias, identify, LinkStage } from '../support/linked-visitors';
import { Made, useScene } from '../support/scene';

/* Ids that are linked, and ids that are not. */

const scene = useScene();
const stage = new LinkStage(scene);

describe('ids', () => {
  it('of several devices belong to one user', async () => {
    await stage.collect(
      stage.viewed(stage.anonymous, 1),
      stage.viewed(stage.phone, 1),
      stage.bought(stage.user, 5),
    );
    await stage.collect(identify(stage.anonymous, stage.user), identify(stage.phone, stage.user));
    expect(await stage.results()).toEqual([
      [0, 0, 0],
      [1, 1, 5],
    ]);
  });

  it('are also linked by an alias, even if one of them is already linked', async () => {
    const account = randomUUID();
    await stage.collect(
      stage.viewed(stage.anonymous, 1),
      stage.bought(stage.user, 5),
      stage.bought(account, 7),
    );
    await stage.collect(identify(stage.anonymous, stage.user), alias(stage.user, account));
    expect(await stage.results()).toEqual([
      [0, 0, 0],
      [1, 1, 12],
    ]);
  });

  it('that both have other links already remain two visitors', async () => {
    const other = randomUUID();
    await stage.collect(
      stage.viewed(stage.anonymous, 0),
      stage.viewed(stage.phone, 1),
      stage.bought(stage.user, 1),
      stage.bought(other, 2),
    );
    await stage.collect(identify(stage.anonymous, stage.user), identify(stage.phone, other));
    const links = [
      identify(stage.anonymous, other),
      alias(stage.user, other),
      alias(stage.anonymous, stage.phone),
      alias(other, stage.user),
    ];
    await stage.collectIgnoring('both_linked', links.length, ...links);
    expect(await stage.results()).toEqual([
      [1, 1, 1],
      [1, 1, 2],
    ]);
  });

  it('of two people who sign in on one device remain two visitors', async () => {
    const other = randomUUID();
    await stage.collect(
      stage.viewed(stage.anonymous, 0),
      stage.viewed(other, 1),
      stage.bought(stage.user, 1),
      stage.bought(other, 2),
    );
    await stage.collectIgnoring(
      'linked_to_other',
      1,
      identify(stage.anonymous, stage.user),
      identify(stage.anonymous, other),
    );
    expect(await stage.results()).toEqual([
      [1, 1, 1],
      [1, 1, 2],
    ]);
  });

  it('have no effect if they are linked to themselves or linked again', async () => {
    await stage.collect(stage.viewed(stage.anonymous, 0), stage.bought(stage.user, 1));
    await stage.collectIgnoring(
      'same_id',
      2,
      identify(stage.anonymous, stage.anonymous),
      alias(stage.user, stage.user),
    );
    expect(await stage.results()).toEqual([
      [1, 0, 0],
      [0, 0, 0],
    ]);
    const loop = [
      identify(stage.anonymous, stage.user),
      identify(stage.user, stage.anonymous),
      alias(stage.user, stage.anonymous),
    ];
    await stage.collectIgnoring('both_linked', 0, ...loop, ...loop);
    expect(await stage.results()).toEqual([
      [1, 1, 1],
      [0, 0, 0],
    ]);
  });

  it('cannot form a loop with a third id', async () => {
    await stage.collect(
      stage.viewed(stage.anonymous, 0),
      stage.bought(stage.user, 1),
      stage.bought(stage.phone, 2),
    );
    await stage.collect(
      alias(stage.anonymous, stage.user),
      alias(stage.user, stage.phone),
      alias(stage.phone, stage.anonymous),
    );
    expect(await stage.results()).toEqual([
      [1, 1, 3],
      [0, 0, 0],
    ]);
  });

  it('can be numbers, which are converted to strings', async () => {
    const number = Math.floor(Math.random() * 1e12);
    await stage.collect(
      stage.viewed(stage.anonymous, 0),
      stage.bought(String(number), 3),
      identify(stage.anonymous, number),
    );
    expect(await stage.results()).toEqual([
      [1, 1, 3],
      [0, 0, 0],
    ]);
  });

  it('that are missing or invalid link nothing, and invalid ids are counted', async () => {
    await stage.collect(stage.viewed(stage.anonymous, 0), stage.bought(stage.user, 3));
    await stage.collectIgnoring(
      'invalid_id',
      0,
      identify('', stage.user),
      identify(stage.anonymous, null),
      alias(undefined, stage.user),
    );
    const invalid = ['x'.repeat(10_000), 'ü', {}, [stage.user], true, 1.5];
    await stage.collectIgnoring('invalid_id', 6, ...invalid.map((id) => identify(stage.anonymous, id)));
    await stage.collectIgnoring('invalid_id', 6, ...invalid.map((id) => alias(id, stage.user)));
    expect(await stage.results()).toEqual([
      [1, 0, 0],
      [0, 0, 0],
    ]);
    const events = ['', 'x'.repeat(10_000)].map((id) => stage.bought(id, 1));
    const { body } = await send(scene.api, stage.key, events);
    const reasons = (body.errors as Made[]).map(({ reason }) => reason);
    expect(reasons).toEqual(['invalid_visitor', 'invalid_visitor']);
  });

  it('are limited to 51 per visitor', async () => {
    const devices = [...Array(51).keys()].map(() => randomUUID());
    await stage.collect(...devices.map((device) => stage.viewed(device, 0)));
    await stage.collectIgnoring('limit', 1, ...devices.map((device) => identify(device, stage.user)));
    await stage.collectIgnoring('limit', 1, ...devices.map((device) => identify(device, stage.user)));
    expect(await stage.results()).toEqual([
      [2, 0, 0],
      [0, 0, 0],
    ]);
  });

  it('of a bot are not linked', async () => {
    const bot = { context: { userAgent: 'Googlebot/2.1 (+http://www.google.com/bot.html)' } };
    await stage.collect(stage.viewed(stage.anonymous, 0), stage.bought(stage.user, 3));
    await stage.collectIgnoring('bot', 1, { ...identify(stage.anonymous, stage.user), ...bot });
    expect(await stage.results()).toEqual([
      [1, 0, 0],
      [0, 0, 0],
    ]);
  });

  it('of one project do not affect another', async () => {
    await stage.collect(identify(stage.anonymous, stage.user), stage.viewed(stage.anonymous, 0));
    const other = await scene.other.make.withStatus('running', {
      goals: [(await scene.other.make.goal({ name: 'Sale' })).id],
    });
    const otherKey = (await scene.other.client.get(scene.other.project)).body.client_key as string;
    await send(scene.api, otherKey, [
      exposure(stage.anonymous, other.id, other.variations[0].id as number),
      exposure(stage.user, other.id, other.variations[0].id as number),
    ]);
    await attributeAll(scene.api);
    const { body } = await scene.other.client.get(`${other.path}/results/info`);
    expect(body.participants).toBe(2);
  });
});
