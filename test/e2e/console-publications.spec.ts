import { parseHTML } from 'linkedom';
import { documentOf, submitPage, textOf, textsOf, useConsole } from '../support/console';
import type { Made, Maker } from '../support/scene';
import { daysOfMay, fillDays } from '../support/shared-experiment';
import { hiddenFields, type Visitor } from '../support/visitor';

/* The publications page, and the forms that publish or roll back, with a preview of the changes. */

const stage = useConsole();
let admin: Visitor;
let shop: Maker;

beforeAll(async () => {
  admin = await stage.admin();
});

beforeEach(async () => {
  shop = await stage.project('Corner shop');
});

const path = () => `${shop.project}/publications`;
const publish = (experiment: Made) => stage.client.patch(`${experiment.path}/publish`);
const edit = (experiment: Made, fields: object) => stage.client.patch(experiment.path, fields);
const cards = (document: Document) => [...document.querySelectorAll('main > section.card')];
const titles = (document: Document): string[] => textsOf(document, 'main > section.card > h2');
const changesIn = (element: Element): string[] =>
  [...element.querySelectorAll('.changes > ul > li > .name')].map(textOf);
const rollbackLink = (card: Element) => card.querySelector('.action-links a')?.getAttribute('href') ?? null;

const running = async (fields: object = {}): Promise<Made> => {
  const experiment = await shop.ready({ name: 'Green buy button', ...fields });
  await shop.move(experiment, 'running');
  return experiment;
};

it('the page is linked from the project, and is empty before the first publication', async () => {
  const project = await documentOf(admin, shop.project);
  const link = [...project.querySelectorAll('.page-links a')].find((each) => textOf(each) === 'Publications');
  expect(link?.getAttribute('href')).toBe(path());
  const document = await documentOf(admin, path());
  expect(textsOf(document, 'h1')).toEqual(['Publications 0']);
  expect(textOf(document.querySelector('main'))).toContain('Nothing has been published yet.');
});

it('the page shows time, author, reason and changes, newest first', async () => {
  const experiment = await running({ traffic_allocation: 50 });
  await edit(experiment, { traffic_allocation: 100, js: 'show("<b>&amp;")' });
  await publish(experiment);
  const document = await documentOf(admin, path());
  expect(titles(document)).toEqual(['Revision 2 Live', 'Revision 1']);
  const [second, first] = cards(document);
  expect([...second.querySelectorAll('dd')].map(textOf)).toEqual([
    expect.stringMatching(/^\d+ \w+ \d{4}, \d\d:\d\d UTC$/),
    expect.stringMatching(/^Person \d+ ?API token Test$/),
    'The changes were published',
  ]);
  expect(changesIn(second)).toEqual([
    'Experiment “Green buy button”: traffic 50 % → 100 %',
    'Experiment “Green buy button”: JavaScript changed (+1 line)',
  ]);
  expect(second.querySelectorAll('details')).toHaveLength(1);
  expect(textOf(second.querySelector('details .line-added'))).toBe('+show("<b>&amp;")');
  expect(textOf(first)).toContain('An experiment was started or stopped');
  expect(changesIn(first)).toEqual(['Experiment “Green buy button” goes live']);
});

it('the page offers a rollback to earlier revisions to users who can run experiments', async () => {
  const experiment = await running();
  await shop.move(experiment, 'pause');
  const [live, earlier] = cards(await documentOf(admin, path()));
  expect([live, earlier].map(rollbackLink)).toEqual([null, `${path()}/1/rollback`]);
  const editor = await stage.visitorOf(stage.world.people.editor);
  expect(cards(await documentOf(editor, path())).map(rollbackLink)).toEqual([null, null]);
});

it('the page folds long lists of changes', async () => {
  const names = Array.from({ length: 12 }, (_, index) => `Page ${index}`);
  const experiment = await running();
  const pages = await Promise.all(names.map((name) => shop.page({ name })));
  await edit(experiment, { pages: pages.map(({ id }) => id) });
  await publish(experiment);
  const [card] = cards(await documentOf(admin, path()));
  expect(changesIn(card)).toHaveLength(10);
  expect(textOf(card.querySelector('.changes > details > summary'))).toBe('3 more changes');
});

it('the list is paged, and shows the last page for page numbers that are too high', async () => {
  const experiment = await running();
  for (let count = 0; count < 10; count += 1) {
    await shop.move(experiment, 'pause');
    await shop.move(experiment, 'running');
  }
  const first = await documentOf(admin, path());
  expect([titles(first).length, titles(first)[0]]).toEqual([20, 'Revision 21 Live']);
  const next = first.querySelector('.pages a[rel="next"]')?.getAttribute('href') ?? '';
  expect(titles(await documentOf(admin, next))).toEqual(['Revision 1']);
  expect(titles(await documentOf(admin, `${path()}?page=9`))).toEqual(['Revision 1']);
  expect(titles(await documentOf(admin, `${path()}?page=x`))).toEqual(titles(first));
});

describe('the publish form', () => {
  const page = (experiment: Made) => documentOf(admin, `${experiment.path}/publish`);

  it('shows the changes, with a diff of code', async () => {
    const experiment = await running();
    await edit(experiment, { css: 'a {}' });
    const form = (await page(experiment)).querySelector('main form')!;
    expect(textOf(form.querySelector('h2'))).toBe('What will change');
    expect(changesIn(form)).toEqual(['Experiment “Green buy button”: CSS changed (+1 line)']);
    expect(textOf(form.querySelector('.line-added'))).toBe('+a {}');
    expect(textOf(form)).not.toContain('These experiments already have participants');
    await submitPage(admin, `${experiment.path}/publish`);
    const [card] = cards(await documentOf(admin, path()));
    expect(changesIn(card)).toEqual(['Experiment “Green buy button”: CSS changed (+1 line)']);
  });

  it('publishes no changes that it did not show', async () => {
    const experiment = await running();
    await edit(experiment, { css: 'a {}' });
    const address = `${experiment.path}/publish`;
    const opened = hiddenFields((await admin.get(address)).text);
    await edit(experiment, { css: 'b {}' });
    const stale = await admin.post(address, opened);
    expect([stale.status, stale.text.includes('Someone else changed this')]).toEqual([412, true]);
    expect(textsOf(parseHTML(stale.text).document, '.line-added')).toEqual(['+b {}']);
    expect(titles(await documentOf(admin, path()))).toHaveLength(1);
    const shown = hiddenFields(stale.text);
    const answers = [await admin.post(address, shown), await admin.post(address, shown)];
    expect(answers.map(({ status }) => status)).toEqual([303, 303]);
    expect(titles(await documentOf(admin, path()))).toHaveLength(2);
  });

  it('publishes no changes that were made after it showed none', async () => {
    const experiment = await running();
    const opened = hiddenFields((await admin.get(`${experiment.path}/publish`)).text);
    await edit(experiment, { css: 'a {}' });
    expect((await admin.post(`${experiment.path}/publish`, opened)).status).toBe(412);
  });

  it('warns about results that would mix both versions', async () => {
    const experiment = await running();
    await fillDays(stage.scene, experiment, daysOfMay(2), [
      { participants: 40, converters: 3 },
      { participants: 50, converters: 3 },
    ]);
    await edit(experiment, { css: 'a {}' });
    const form = (await page(experiment)).querySelector('main form')!;
    expect(textOf(form.querySelector('.notice li'))).toBe('Green buy button: 180 participants');
  });

  it('shows that nothing would change', async () => {
    const form = (await page(await running())).querySelector('main form')!;
    expect(textsOf(form as unknown as Document, 'h2')).toEqual(['Nothing would change']);
  });

  it('shows why the project cannot be published', async () => {
    const experiment = await running();
    for (const { id } of experiment.variations as Made[]) {
      await stage.client.patch(`${experiment.path}/variations/${id}`, { traffic_allocation: 10 });
    }
    const form = (await page(experiment)).querySelector('main .action')!;
    const { body } = await publish(experiment);
    expect(textOf(form.querySelector('h2'))).toBe('This cannot be published now');
    expect(form.querySelector('button')).toBeNull();
    expect([...form.querySelectorAll('.changes li')].map(textOf)).toEqual(Object.values(body.errors).flat());
  });
});

describe('the rollback form', () => {
  const form = async (revision: number) =>
    (await documentOf(admin, `${path()}/${revision}/rollback`)).querySelector('main form')!;

  const edited = async (): Promise<Made> => {
    const experiment = await running({ css: 'a {}' });
    await edit(experiment, { css: 'b {}' });
    await publish(experiment);
    return experiment;
  };

  it('shows the changes, and makes the revision live again', async () => {
    await edited();
    const asking = await form(1);
    expect(textOf(asking.querySelector('p'))).toContain(
      'New page views show the content of revision 1 within two minutes',
    );
    expect(textOf(asking.querySelector('h2'))).toBe('What will change');
    expect(textsOf(asking as unknown as Document, '.line-removed, .line-added')).toEqual(['-b {}', '+a {}']);
    const { status, location } = await submitPage(admin, `${path()}/1/rollback`);
    expect([status, location]).toEqual([303, `${path()}?notice=rolledBack`]);
    const document = await documentOf(admin, location!);
    expect(textOf(document.querySelector('[role="status"].message'))).toContain('is live again');
    expect(titles(document)).toEqual(['Revision 3 Live', 'Revision 2', 'Revision 1']);
    expect(textOf(cards(document)[0])).toContain('Rollback to revision 1');
    expect(changesIn(cards(document)[0])).toEqual([
      'Experiment “Green buy button”: CSS changed (+1, −1 lines)',
    ]);
  });

  it('shows that nothing would change, and adds no revision', async () => {
    await edited();
    expect(textOf((await form(2)).querySelector('h2'))).toBe('Nothing would change');
    await submitPage(admin, `${path()}/2/rollback`);
    expect(titles(await documentOf(admin, path()))).toHaveLength(2);
  });

  it('explains why the project cannot be rolled back, without a button', async () => {
    const experiment = await edited();
    const [, { id }] = experiment.variations as Made[];
    await stage.client.delete(`${experiment.path}/variations/${id}`);
    const { body } = await stage.client.post(`${path()}/1/rollback`);
    const asking = (await documentOf(admin, `${path()}/1/rollback`)).querySelector('main')!;
    expect(textsOf(asking as unknown as Document, '.changes li')).toEqual(Object.values(body.errors).flat());
    expect(asking.querySelector('form button')).toBeNull();
  });

  it('is rejected after a concurrent publication', async () => {
    const experiment = await edited();
    const fields = hiddenFields((await admin.get(`${path()}/1/rollback`)).text);
    await edit(experiment, { css: 'c {}' });
    await publish(experiment);
    const { status, text } = await admin.post(`${path()}/1/rollback`, fields);
    expect([status, text.includes('-c {}')]).toEqual([412, true]);
    expect(titles(await documentOf(admin, path()))[0]).toBe('Revision 3 Live');
  });

  it('is available only for revisions of the project', async () => {
    await edited();
    const statuses = await Promise.all(
      [3, 0, 'x'].map(async (revision) => (await admin.get(`${path()}/${revision}/rollback`)).status),
    );
    expect(statuses).toEqual([404, 404, 404]);
  });
});
