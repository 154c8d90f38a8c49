import { randomUUID } from 'node:crypto';
import { pageView, send, storedEvents } from '../support/events';
import { agePublications } from '../support/publications';
import { anotherProject, Made, Maker, useScene } from '../support/scene';

/* Browsers send the page views that match the script they run, which can differ from the pages in the API. */

const scene = useScene();
let make: Maker;
let key: string;
let page: Made;
let goal: Made;
let experiment: Made;

beforeEach(async () => {
  make = await anotherProject(scene);
  key = (await scene.client.get(make.project)).body.client_key as string;
  page = await make.page({ conditions: at('/thanks') });
  goal = await make.goal({ type: 'pageview', page_id: page.id });
  experiment = await make.withStatus('running', { goals: [goal.id] });
});

const at = (value: string): object[] => [{ match: 'simple', value }];

async function change({ path }: { path: string }, fields: object): Promise<void> {
  expect((await scene.client.patch(path, fields)).status).toBe(200);
}

const publish = (): Promise<void> => change({ path: `${experiment.path}/publish` }, {});

async function rollBackTo(revision: number): Promise<void> {
  const { status } = await scene.client.post(`${make.project}/publications/${revision}/rollback`, {});
  expect(status).toBe(200);
}

/** The ids of the goals that a page view counts towards, or the reason why it was rejected. */
async function viewed(path: string, fields: object = {}): Promise<number[] | string> {
  const visitor = randomUUID();
  const { body } = await send(scene.api, key, [
    pageView(visitor, `https://shop.example${path}`, { ...fields }),
  ]);
  const { errors } = body as { errors: { reason: string }[] };
  const stored = (await storedEvents(scene.api)).filter(({ visitor_id }) => visitor_id === visitor);
  return errors[0]?.reason ?? stored.map(({ goal_id }) => Number(goal_id)).sort((a, b) => a - b);
}

describe('page views', () => {
  it('match the live page, not one that has been edited since', async () => {
    expect(await viewed('/thanks')).toEqual([goal.id]);
    await change(page, { conditions: at('/merci') });
    expect(await viewed('/thanks')).toEqual([goal.id]);
    expect(await viewed('/merci')).toBe('no_matching_page');
    await publish();
    expect(await viewed('/merci')).toEqual([goal.id]);
  });

  it('match the live page if the goal has a different page now', async () => {
    await change(goal, { page_id: (await make.page({ conditions: at('/merci') })).id });
    expect(await viewed('/thanks')).toEqual([goal.id]);
    expect(await viewed('/merci')).toBe('no_matching_page');
  });

  it('match the page of the revision that a rollback makes live again', async () => {
    await change(page, { conditions: at('/merci') });
    await publish();
    await agePublications(scene, make, 2);
    await rollBackTo(1);
    await agePublications(scene, make, 2);
    expect(await viewed('/thanks')).toEqual([goal.id]);
    expect(await viewed('/merci')).toBe('no_matching_page');
  });

  it('match both pages of a goal that was published with one page for each experiment', async () => {
    await change(page, { conditions: at('/merci') });
    await make.withStatus('running', { goals: [goal.id] });
    await agePublications(scene, make, 2);
    expect(await viewed('/thanks')).toEqual([goal.id]);
    expect(await viewed('/merci')).toEqual([goal.id]);
    expect(await viewed('/gracias')).toBe('no_matching_page');
  });

  it('match the current page of a goal that is not live', async () => {
    const other = await make.page({ conditions: at('/cart') });
    const { id } = await make.goal({ type: 'pageview', page_id: other.id });
    expect(await viewed('/cart')).toEqual([id]);
    await change(other, { conditions: at('/basket') });
    expect(await viewed('/basket')).toEqual([id]);
    expect(await viewed('/cart')).toBe('no_matching_page');
  });

  it('match the current page of a goal that was published with a different type', async () => {
    const { id, path } = await make.goal();
    await make.withStatus('running', { goals: [id] });
    const cart = await make.page({ conditions: at('/cart') });
    await change({ path }, { type: 'pageview', page_id: cart.id });
    expect(await viewed('/cart')).toEqual([id]);
    expect(await viewed('/thanks')).toEqual([goal.id]);
  });

  it('match only the page of a goal that was a click goal in an earlier revision', async () => {
    const { id, path } = await make.goal({ type: 'click', selector: '#buy' });
    await make.withStatus('running', { goals: [id] });
    const cart = await make.page({ conditions: at('/cart') });
    await change({ path }, { type: 'pageview', page_id: cart.id, selector: null });
    await publish();
    expect(await viewed('/cart')).toEqual([id]);
    expect(await viewed('/unrelated')).toBe('no_matching_page');
  });

  it('match the page of an earlier revision for an hour, because open pages still run it', async () => {
    await change(page, { conditions: at('/merci') });
    await publish();
    await change(page, { conditions: at('/gracias') });
    await publish();
    for (const path of ['/thanks', '/merci', '/gracias']) {
      expect(await viewed(path)).toEqual([goal.id]);
    }
    await agePublications(scene, make, 2);
    expect(await viewed('/thanks')).toBe('no_matching_page');
    expect(await viewed('/merci')).toBe('no_matching_page');
    expect(await viewed('/gracias')).toEqual([goal.id]);
  });

  it('match the page of a paused experiment for an hour', async () => {
    await change(page, { conditions: at('/merci') });
    await make.move(experiment, 'pause');
    expect(await viewed('/thanks')).toEqual([goal.id]);
    expect(await viewed('/merci')).toEqual([goal.id]);
    await agePublications(scene, make, 2);
    expect(await viewed('/thanks')).toBe('no_matching_page');
  });

  it('do not match an earlier revision if they happened before it', async () => {
    await change(page, { conditions: at('/merci') });
    await publish();
    const timestamp = new Date(Date.now() - 3_600_000).toISOString();
    expect(await viewed('/thanks', { timestamp })).toBe('no_matching_page');
    expect(await viewed('/merci', { timestamp })).toEqual([goal.id]);
  });
});
