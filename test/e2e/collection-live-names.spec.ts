import { randomUUID } from 'node:crypto';
import { conversion, exposure, send, storedEvents } from '../support/events';
import { agePublications } from '../support/publications';
import { anotherProject, Made, Maker, useScene } from '../support/scene';

/* Clients use the names in the live publication, which can differ from the names in the API. */

const scene = useScene();
let make: Maker;
let key: string;

beforeEach(async () => {
  make = await anotherProject(scene);
  key = (await scene.client.get(make.project)).body.client_key as string;
});

const rename = async ({ path }: { path: string }, api_name: string): Promise<void> => {
  expect((await scene.client.patch(path, { api_name })).status).toBe(200);
};

const publish = async ({ path }: Made): Promise<void> => {
  expect((await scene.client.patch(`${path}/publish`)).status).toBe(200);
};

/** The stored event of a message, or the reason why it was rejected. */
async function outcome(visitor: string, sent: object): Promise<object | string> {
  const { body } = await send(scene.api, key, [sent]);
  const { errors } = body as { errors: { reason: string }[] };
  const stored = (await storedEvents(scene.api)).find(({ visitor_id }) => visitor_id === visitor);
  const { experiment_id, variation_id, goal_id } = stored ?? {};
  return errors[0]?.reason ?? (goal_id === null ? [experiment_id, variation_id] : { goal: goal_id });
}

function exposed(experiment_id: string, variation_id: string): Promise<object | string> {
  const visitor = randomUUID();
  return outcome(visitor, exposure(visitor, 0, 0, { properties: { experiment_id, variation_id } }));
}

function converted(name: string): Promise<object | string> {
  const visitor = randomUUID();
  return outcome(visitor, conversion(visitor, name));
}

const variationsOf = ({ variations, path }: Made): Made[] =>
  (variations as Made[]).map((each) => ({ ...each, path: `${path}/variations/${each.id}` }));

describe('after a rename', () => {
  it('exposures can have the live names of experiment and variation, or the current ones', async () => {
    const experiment = await make.withStatus('running', { api_name: 'promo' });
    const [, variation] = variationsOf(experiment);
    expect(await exposed('promo', 'variation')).toEqual([experiment.id, variation.id]);
    await rename(experiment, 'promotion');
    await rename(variation, 'green');
    for (const [first, second] of [
      ['promo', 'variation'],
      ['promotion', 'green'],
      ['promo', 'green'],
      [`exp-${experiment.id}`, 'variation'],
    ]) {
      expect(await exposed(first, second)).toEqual([experiment.id, variation.id]);
    }
    await publish(experiment);
    expect(await exposed('promotion', 'green')).toEqual([experiment.id, variation.id]);
    expect(await exposed('promo', 'green')).toBe('unknown_experiment');
    expect(await exposed('promotion', 'variation')).toBe('unknown_variation');
  });

  it('a live name that another record has taken in the meantime still refers to the live record', async () => {
    const experiment = await make.withStatus('running', { api_name: 'promo' });
    const [original, variation] = variationsOf(experiment);
    await rename(experiment, 'promo-old');
    await make.ready({ api_name: 'promo' });
    await rename(original, 'spare');
    await rename(variation, 'original');
    await rename(original, 'variation');
    expect(await exposed('promo', 'original')).toEqual([experiment.id, original.id]);
    expect(await exposed('promo', 'variation')).toEqual([experiment.id, variation.id]);
    await publish(experiment);
    expect(await exposed('promo-old', 'original')).toEqual([experiment.id, variation.id]);
  });

  it('conversions can have the live name of a goal, or the current one', async () => {
    const click = await make.goal({ type: 'click', api_name: 'buy', selector: '.buy' });
    const custom = await make.goal({ api_name: 'signed-up' });
    const experiment = await make.withStatus('running', { goals: [click.id, custom.id] });
    await rename(click, 'buy-clicked');
    await rename(custom, 'registered');
    expect(await converted('buy')).toEqual({ goal: click.id });
    expect(await converted('buy-clicked')).toEqual({ goal: click.id });
    expect(await converted('signed-up')).toEqual({ goal: custom.id });
    expect(await converted('registered')).toEqual({ goal: custom.id });
    await publish(experiment);
    expect(await converted('signed-up')).toBe('unknown_event');
    await agePublications(scene, make, 2);
    expect(await converted('buy')).toBe('unknown_event');
    expect(await converted('buy-clicked')).toEqual({ goal: click.id });
  });

  it('clicks from open pages can have the name of an earlier revision for an hour', async () => {
    const click = await make.goal({ type: 'click', api_name: 'buy', selector: '.buy' });
    const experiment = await make.withStatus('running', { goals: [click.id] });
    for (const name of ['order', 'purchase']) {
      await rename(click, name);
      await publish(experiment);
    }
    for (const name of ['buy', 'order', 'purchase']) {
      expect(await converted(name)).toEqual({ goal: click.id });
    }
    await agePublications(scene, make, 2);
    expect(await converted('buy')).toBe('unknown_event');
    expect(await converted('order')).toBe('unknown_event');
    expect(await converted('purchase')).toEqual({ goal: click.id });
  });

  it('the name of a click goal in an earlier revision refers to another goal that has it now', async () => {
    const click = await make.goal({ type: 'click', api_name: 'buy', selector: '.buy' });
    const experiment = await make.withStatus('running', { goals: [click.id] });
    await rename(click, 'buy-clicked');
    await publish(experiment);
    expect(await converted('buy')).toEqual({ goal: click.id });
    const other = await make.goal({ api_name: 'buy' });
    expect(await converted('buy')).toEqual({ goal: other.id });
  });

  it('the live name of a click goal is reserved, while other names refer to the current goal', async () => {
    const click = await make.goal({ type: 'click', api_name: 'buy', selector: '.buy' });
    const custom = await make.goal({ api_name: 'signed-up' });
    await make.withStatus('running', { goals: [click.id, custom.id] });
    await rename(click, 'buy-old');
    await rename(custom, 'signed-up-old');
    await make.goal({ api_name: 'buy' });
    const other = await make.goal({ api_name: 'signed-up' });
    expect(await converted('buy')).toEqual({ goal: click.id });
    expect(await converted('signed-up')).toEqual({ goal: other.id });
  });
});
