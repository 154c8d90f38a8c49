import { parseHTML } from 'linkedom';
import { documentOf, submitForm, submitPage, textOf, textsOf, useConsole } from '../support/console';
import type { Made, Maker } from '../support/scene';
import type { Visitor } from '../support/visitor';

/* The forms for the pages, goals and variations of an existing experiment. */

const stage = useConsole();
let editor: Visitor;
let shop: Maker;

beforeEach(async () => {
  editor = await stage.visitorOf(stage.world.people.editor);
  shop = await stage.project('Shop');
});

const read = async ({ path }: Made): Promise<Made> => (await stage.client.get(path)).body as Made;
const idsOf = (list: unknown): number[] => (list as { id: number }[]).map(({ id }) => id);

const linksOf = (document: Document): string[] =>
  [...document.querySelectorAll('main a')].map((link) => link.getAttribute('href') ?? '');

const optionsOf = (document: Document, name: string): [string, boolean][] =>
  [...document.querySelectorAll(`select[name="${name}"] option`)].map((option) => [
    textOf(option),
    option.hasAttribute('selected'),
  ]);

const orderedGoals = async (...names: string[]): Promise<number[]> => {
  const ids: number[] = [];
  for (const name of names) {
    ids.push((await shop.goal({ name })).id);
  }
  return ids;
};

describe('records to choose from', () => {
  it('show the API name if the name repeats, also where they are attached', async () => {
    const same = [await shop.page({ name: 'Cart' }), await shop.page({ name: 'Cart' })];
    await shop.page({ name: 'Home' });
    const experiment = await shop.ready({ pages: [same[0].id] });
    const document = await documentOf(editor, `${experiment.path}/attachments`);
    const labels = textsOf(document, 'label.choice:has(input[name^="pages."])');
    const names = same.map(({ api_name }) => `Cart (${String(api_name)})`);
    expect(labels).toEqual(expect.arrayContaining([...names, 'Home']));
    expect(labels).not.toContain('Cart');
  });

  it('have a place to which links lead even if there are none', async () => {
    const experiment = await shop.of('experiments', { name: 'Bare' });
    const document = await documentOf(editor, `${experiment.path}/attachments`);
    expect(['pages', 'audiences', 'goals'].filter((id) => document.getElementById(id) === null)).toEqual([]);
  });
});

describe('a new experiment', () => {
  it('has the chosen primary goal first', async () => {
    const [cart, order, visit] = await orderedGoals('Cart', 'Order', 'Visit');
    const form = `${shop.project}/experiments/new`;
    expect(optionsOf(await documentOf(editor, form), 'primary_goal')).toEqual([
      ['The first selected goal', true],
      ['Cart', false],
      ['Order', false],
      ['Visit', false],
    ]);
    const made = async (fields: Record<string, string>) => {
      const { location = '' } = await submitPage(editor, form, {
        name: 'Button',
        variations: 'A\nB',
        ...fields,
      });
      return idsOf((await read({ path: location.split('?')[0] } as Made)).goals);
    };
    const both = { [`goals.${cart}`]: 'on', [`goals.${order}`]: 'on' };
    expect(await made({ ...both, primary_goal: String(order) })).toEqual([order, cart]);
    expect(await made({ ...both, primary_goal: String(visit) })).toEqual([visit, cart, order]);
    expect(await made({ ...both, primary_goal: '' })).toEqual([cart, order]);
  });

  it('keeps the chosen primary goal in a rejected form', async () => {
    const [, order] = await orderedGoals('Cart', 'Order');
    const { status, text } = await submitPage(editor, `${shop.project}/experiments/new`, {
      name: '',
      primary_goal: String(order),
    });
    expect([status, text]).toEqual([
      422,
      expect.stringMatching(new RegExp(`<option value="${order}" selected`)),
    ]);
  });
});

describe('the pages and goals of an experiment', () => {
  it('are changed in a form that is linked from the settings', async () => {
    const [cart, order] = await orderedGoals('Cart', 'Order');
    const guardrail = await shop.goal({ name: 'Refund' });
    const [home, product] = [await shop.page({ name: 'Home' }), await shop.page({ name: 'Product' })];
    const experiment = await shop.experiment({
      variations: [{ name: 'A' }, { name: 'B' }],
      pages: [product.id],
      goals: [order],
      guardrails: [guardrail.id],
    });
    const form = `${experiment.path}/attachments`;
    const links = linksOf(await documentOf(editor, experiment.path));
    expect(links).toEqual(expect.arrayContaining([`${form}#pages`, `${form}#goals`]));
    const document = await documentOf(editor, form);
    expect(textsOf(document, '.choice')).toEqual(['Product', 'Home', 'Order', 'Cart']);
    expect(optionsOf(document, 'primary_goal')).toEqual([
      ['The first selected goal', false],
      ['Order', true],
      ['Cart', false],
    ]);
    await submitForm(editor, document.querySelector('main form'), {
      primary_goal: String(cart),
      [`pages.${home.id}`]: 'on',
    });
    const changed = await read(experiment);
    expect([idsOf(changed.pages).sort(), idsOf(changed.goals), idsOf(changed.guardrails)]).toEqual([
      [home.id, product.id].sort(),
      [cart, order],
      [guardrail.id],
    ]);
  });

  it('are unchanged when the form is submitted without changes', async () => {
    const goals = await orderedGoals('Visit', 'Order', 'Cart');
    const page = await shop.page();
    const experiment = await shop.experiment({ goals, pages: [page.id] });
    const before = await read(experiment);
    const { location } = await submitPage(editor, `${experiment.path}/attachments`);
    expect([location, await read(experiment)]).toEqual([`${experiment.path}?notice=saved`, before]);
  });

  it('lose the primary goal when its checkbox is cleared', async () => {
    const [cart, order, visit] = await orderedGoals('Cart', 'Order', 'Visit');
    const experiment = await shop.experiment({ goals: [order] });
    const goalsAfter = async (fields: Record<string, string | undefined>): Promise<number[]> => {
      const { location } = await submitPage(editor, `${experiment.path}/attachments`, fields);
      expect(location).toBe(`${experiment.path}?notice=saved`);
      return idsOf((await read(experiment)).goals);
    };
    expect(await goalsAfter({ [`goals.${order}`]: undefined, [`goals.${cart}`]: 'on' })).toEqual([cart]);
    // The checkbox of a goal chosen as the primary goal can stay cleared.
    expect(await goalsAfter({ [`goals.${cart}`]: undefined, primary_goal: String(visit) })).toEqual([visit]);
    expect(await goalsAfter({ [`goals.${visit}`]: undefined })).toEqual([]);
  });

  it('are changed only once when the form is submitted twice with a primary goal whose checkbox is cleared', async () => {
    const [cart, order] = await orderedGoals('Cart', 'Order');
    const experiment = await shop.experiment({ goals: [cart] });
    const form = (await documentOf(editor, `${experiment.path}/attachments`)).querySelector('main form');
    for (const attempt of ['first', 'second']) {
      const { status } = await submitForm(editor, form, { primary_goal: String(order) });
      expect([attempt, status, idsOf((await read(experiment)).goals)]).toEqual([attempt, 303, [order, cart]]);
    }
  });

  it('lose a new primary goal whose checkbox is cleared after a conflict', async () => {
    const [cart, order] = await orderedGoals('Cart', 'Order');
    const experiment = await shop.experiment({ goals: [cart] });
    const form = (await documentOf(editor, `${experiment.path}/attachments`)).querySelector('main form');
    await stage.client.patch(experiment.path, { goals: [order, cart] });
    const { status, text } = await submitForm(editor, form);
    expect(status).toBe(412);
    const again = parseHTML(text).document.querySelector('main form');
    expect((await submitForm(editor, again, { [`goals.${order}`]: undefined })).status).toBe(303);
    expect(idsOf((await read(experiment)).goals)).toEqual([cart]);
  });

  it('are chosen from the attached goals and the first 100 project goals by name', async () => {
    const names = Array.from({ length: 101 }, (_, index) => `Goal ${String(index).padStart(3, '0')}`);
    const goals = await orderedGoals(...names);
    const hints = async (path: string) => textsOf(await documentOf(editor, path), '[id="goals-hint"]');
    expect(await hints(`${shop.project}/experiments/new`)).toEqual([
      'Lists the first 100 by name. To attach others, use the API.',
    ]);
    const last = await shop.experiment({ goals: [goals[100]], guardrails: [goals[0], goals[1]] });
    expect(await hints(`${last.path}/attachments`)).toEqual([
      'Lists the attached records and the first 100 by name. To attach others, use the API.',
    ]);
  });

  it('need pages and goals in the project, but no audiences', async () => {
    const experiment = await shop.experiment();
    const form = `${experiment.path}/attachments`;
    const content = async () => textsOf(await documentOf(editor, form), 'main form p:not(.actions)');
    expect(await content()).toEqual([
      'The project has no pages. Create a page first.',
      'Everyone takes part: the project has no audiences. Create an audience to limit the experiment.',
      'The project has no goals. Create a goal first.',
    ]);
    const links = linksOf(await documentOf(editor, form));
    for (const link of [`${shop.project}/pages/new`, `${shop.project}/goals/new`]) {
      expect(links).toContain(link);
      await documentOf(editor, link);
    }
    const guardrail = await shop.goal({ name: 'Refund' });
    await shop.page();
    await stage.client.patch(experiment.path, { guardrails: [guardrail.id] });
    expect(await content()).toEqual([
      'Everyone takes part: the project has no audiences. Create an audience to limit the experiment.',
      'The project has no other goal. Create a goal first.',
      'A guardrail cannot also be a goal.',
    ]);
  });

  it('are rejected with a message next to the field', async () => {
    const [, gone] = await orderedGoals('Cart', 'Order');
    const experiment = await shop.experiment();
    await stage.client.delete(`${shop.project}/goals/${gone}`);
    const { status, text } = await submitPage(editor, `${experiment.path}/attachments`, {
      [`goals.${gone}`]: 'on',
    });
    expect([status, text]).toEqual([422, expect.stringContaining('href="#goals"')]);
  });

  it('cannot be changed by viewers or in archived experiments', async () => {
    const viewer = await stage.visitorOf(stage.world.people.viewer);
    const { path } = await shop.ready();
    const forms = [`${path}/attachments#pages`, `${path}/attachments#goals`, `${path}/variations/new`];
    const offered = async (visitor: Visitor) => linksOf(await documentOf(visitor, path));
    expect(await offered(editor)).toEqual(expect.arrayContaining(forms));
    expect((await offered(viewer)).filter((link) => forms.includes(link))).toEqual([]);
    await stage.client.patch(`${path}/status`, { status: 'archive' });
    expect((await offered(editor)).filter((link) => forms.includes(link))).toEqual([]);
  });
});

it('forms of a running experiment explain when changes go live', async () => {
  const { path } = await shop.ready();
  await stage.client.patch(`${path}/status`, { status: 'running' });
  const [{ id }] = (await read({ path } as Made)).variations as { id: number }[];
  for (const form of ['attachments', 'variations/new', `variations/${id}/edit`]) {
    expect(textsOf(await documentOf(editor, `${path}/${form}`), 'main form p')).toContain(
      'The experiment is running. Changes go live when the project is published.',
    );
  }
});

describe('another variation', () => {
  it('is added with a form', async () => {
    const experiment = await shop.experiment({ variations: [{ name: 'Original' }] });
    const form = `${experiment.path}/variations/new`;
    const refused = await submitPage(editor, form, { name: '', traffic_allocation: 'half' });
    expect(refused.status).toBe(422);
    expect(refused.text).toContain('“Share of participants (%)” must be a number between 0 and 100.');
    const { location } = await submitPage(editor, form, { name: 'Green', traffic_allocation: '30' });
    expect(location).toBe(`${experiment.path}?notice=saved`);
    expect((await read(experiment)).variations).toMatchObject([
      { name: 'Original', is_original: true, traffic_allocation: null },
      { name: 'Green', is_original: false, traffic_allocation: 30 },
    ]);
  });

  it('is the next step of an experiment that has only the original', async () => {
    const experiment = await shop.experiment({ variations: [{ name: 'Original' }] });
    const page = await documentOf(editor, experiment.path);
    const steps = [...page.querySelectorAll('.step')];
    const step = steps.find((each) => textOf(each).includes('so there is nothing to compare'));
    expect((await submitForm(editor, step?.querySelector('form') ?? null)).status).toBe(303);
    expect((await read(experiment)).variations).toHaveLength(2);
    expect(textsOf(await documentOf(editor, experiment.path), '.step').join()).not.toContain('compared');
  });
});

describe('a variation with a share of 100 %', () => {
  const stepsOf = async ({ path }: Made): Promise<string> =>
    textsOf(await documentOf(editor, path), '.step').join();

  it('must get a lower share before another variation can be added', async () => {
    const experiment = await shop.experiment({ variations: [{ name: 'A', traffic_allocation: 100 }] });
    const [{ id }] = (await read(experiment)).variations as { id: number }[];
    const form = `${experiment.path}/variations/${id}/edit`;
    const page = await documentOf(editor, experiment.path);
    expect(textsOf(page, `.step a[href="${form}"]`)).toEqual(['Change the share']);
    expect(textsOf(page, '.step').join()).toContain('The experiment has only the original');
    expect(textsOf(page, '.step button')).not.toContain('Add a variation');
    await submitPage(editor, form, { traffic_allocation: '' });
    expect(await stepsOf(experiment)).toContain('Add a variation');
  });

  it('must get a lower share before variations can be compared', async () => {
    const experiment = await shop.experiment({
      variations: [
        { name: 'A', traffic_allocation: 0 },
        { name: 'B', traffic_allocation: 100 },
      ],
    });
    expect(await stepsOf(experiment)).toContain(
      'One variation gets all participants, so there is nothing to compare.',
    );
    for (const share of ['', '40']) {
      const step = (await documentOf(editor, experiment.path)).querySelector('.step a.button');
      await submitPage(editor, step?.getAttribute('href') ?? '', { traffic_allocation: share });
    }
    expect((await read(experiment)).variations).toMatchObject([
      { traffic_allocation: 40 },
      { traffic_allocation: null },
    ]);
    expect(await stepsOf(experiment)).not.toContain('compared');
  });
});

it('the page form explains which patterns need a full URL', async () => {
  const form = `${shop.project}/pages/new`;
  expect(textOf((await documentOf(editor, form)).querySelector('#conditions-hint'))).toContain(
    'Exact URLs and prefixes include https://.',
  );
});
