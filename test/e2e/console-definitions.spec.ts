import { documentOf, textOf, textsOf, useConsole } from '../support/console';
import { statementsDuring } from '../support/statements';
import { signedIn, Visitor } from '../support/visitor';
import type { Maker } from '../support/scene';

/* The page with the goals, pages, audiences and environments of a project. */

const stage = useConsole();
let admin: Visitor;
let shop: Maker;
let path: string;

beforeAll(async () => {
  admin = await stage.admin();
  shop = await stage.project('Corner shop');
  path = `${shop.project}/definitions`;
});

const create = async (collection: string, body: object): Promise<number> =>
  (await stage.client.post(`${shop.project}/${collection}`, body)).body.id as number;

/** The properties of a definition, by label. */
function factsOf(document: Document, name: string): Record<string, string> {
  const card = [...document.querySelectorAll('main section')].find(
    (section) => textOf(section.querySelector('h2')) === name,
  )!;
  return Object.fromEntries(
    [...card.querySelectorAll('.settings-list > div')].map((fact) => [
      textOf(fact.querySelector('dt')),
      textOf(fact.querySelector('dd')),
    ]),
  );
}

it('the page is linked from the project, and starts with goals', async () => {
  const project = await documentOf(admin, shop.project);
  const link = [...project.querySelectorAll('.page-links a')].find(
    (each) => textOf(each) === 'Goals, pages and audiences',
  );
  expect(link?.getAttribute('href')).toBe(path);
  const document = await documentOf(admin, path);
  expect(textsOf(document, 'h1')).toEqual(['Goals 0']);
  expect(textOf(document.querySelector('main'))).toContain('There are no goals yet.');
  expect(textsOf(document, '.tabs a')).toEqual([
    'Goals',
    'Pages',
    'Audiences',
    'Exclusion groups',
    'Environments',
  ]);
});

it.each(['goals', 'pages', 'audiences', 'exclusion_groups'])(
  'the page explains what %s are for if there are none, with a link to the form for users who can create one',
  async (kind) => {
    const viewer = await stage.visitorOf(stage.world.people.viewer);
    const [ours, theirs] = [
      await documentOf(admin, `${path}?kind=${kind}`),
      await documentOf(viewer, `${path}?kind=${kind}`),
    ];
    const [none, purpose] = textsOf(theirs, 'main .card p');
    expect(none).toBe(`There are no ${kind.replace('_', ' ')} yet.`);
    expect(purpose).toMatch(/^(?:A|An) .+\.$/);
    expect(theirs.querySelector('.masthead .button')).toBeNull();
    const form = ours.querySelector('.masthead .button')?.getAttribute('href') ?? '';
    expect(form).toMatch(new RegExp(`/${kind.replace('_', '-')}/new$`));
    await documentOf(admin, form);
  },
);

it('a page and the goal that counts its views are shown with each other', async () => {
  const page = await create('pages', { name: 'Checkout' });
  await create('goals', { name: 'Checkout viewed', type: 'pageview', page_id: page });
  expect(factsOf(await documentOf(admin, path), 'Checkout viewed')).toMatchObject({
    Type: 'Page view',
    Page: 'Checkout',
  });
  await create('pages', { name: 'Imprint' });
  const pages = await documentOf(admin, `${path}?kind=pages`);
  const counted = ['Checkout', 'Imprint'].map((name) => factsOf(pages, name)['Views counted by']);
  expect(counted).toEqual(['Checkout viewed', undefined]);
});

it('the page shows what a goal counts, and which experiments use it', async () => {
  const goal = await create('goals', {
    name: 'Order placed',
    value_type: 'revenue',
    value_cap: 500,
    conversion_window_days: 14,
  });
  const [running, deleted] = [
    await shop.experiment({ name: 'Green button', goals: [goal] }),
    await shop.experiment({ name: 'Deleted', goals: [goal] }),
  ];
  await stage.client.delete(deleted.path);
  const document = await documentOf(admin, path);
  expect(factsOf(document, 'Order placed')).toMatchObject({
    Type: 'Custom event from your site or back end',
    'An improvement is': 'An increase',
    Counts: 'Participants who convert',
    Value: 'Revenue, at most 500 per participant',
    'Conversion window': '14 days',
    'Used by': 'Green button Draft',
    'Id and API name': `${goal}, order-placed`,
  });
  expect([...document.querySelectorAll('dd li a')].map((each) => each.getAttribute('href'))).toEqual([
    running.path,
  ]);
});

it.each([
  [49.5, '49.5'],
  [0.25, '0.25'],
  [1_234.5678, '1 234.5678'],
])('the page shows the exact value cap of a goal: %d', async (value_cap, shown) => {
  const name = `Capped at ${value_cap}`;
  await create('goals', { name, value_type: 'number', value_cap });
  expect(factsOf(await documentOf(admin, path), name).Value).toBe(
    `A number, at most ${shown} per participant`,
  );
});

it('the page shows the conditions of pages and audiences in words', async () => {
  await create('pages', {
    name: 'Cart',
    conditions: [
      { match: 'simple', value: 'shop.example.com/cart' },
      { match: 'contains', value: 'preview', negate: true },
    ],
  });
  await create('audiences', {
    name: 'Phones <b>',
    conditions: [
      'and',
      { type: 'device', value: 'mobile' },
      ['not', { type: 'cookie', name: 'staff', match: 'exists' }],
    ],
  });
  await create('audiences', { name: 'Everybody' });
  expect(factsOf(await documentOf(admin, `${path}?kind=pages`), 'Cart').URLs).toBe(
    'At least one of these:The URL, ignoring query and fragment, is shop.example.com/cartNone of these:The URL contains preview',
  );
  const audiences = await documentOf(admin, `${path}?kind=audiences`);
  expect(factsOf(audiences, 'Phones <b>').Visitors).toBe(
    'All of these:Device is mobileNot:Cookie “\u2068staff\u2069” exists',
  );
  expect(factsOf(audiences, 'Everybody').Visitors).toBe('Everyone');
});

it('the page shows the experiments in exclusion groups, and the API call', async () => {
  const group = await create('exclusion-groups', { name: 'Checkout', description: 'One at a time.' });
  await shop.experiment({ name: 'Free shipping', exclusion_group_id: group });
  const document = await documentOf(admin, `${path}?kind=exclusion_groups`);
  expect(textsOf(document, 'h1')).toEqual(['Exclusion groups 1']);
  expect(factsOf(document, 'Checkout')).toEqual({
    Free: '100 % of the visitors',
    'Used by': 'Free shipping Draft',
    'Id and API name': `${group}, checkout`,
  });
  expect(textOf(document.querySelector('#call'))).toContain(`/api${shop.project}/exclusion-groups`);
});

it('the page shows the free share of an exclusion group, and the experiments that use the rest', async () => {
  const many = await stage.project('Groups');
  const [first, empty] = [
    await many.of('exclusion-groups', { name: 'Prices' }),
    await many.of('exclusion-groups', { name: 'Search' }),
  ];
  const member = (name: string, exclusion_share: number, status: 'running' | 'pause') =>
    many.withStatus(status, { name, exclusion_group_id: first.id, exclusion_share });
  const gone = await member('Gone', 12.5, 'running');
  await member('Running', 20, 'running');
  await member('Paused', 33.33, 'pause');
  const facts = async (name: string) =>
    factsOf(await documentOf(admin, `${many.project}/definitions?kind=exclusion_groups`), name);
  expect(await facts('Prices')).toMatchObject({
    Free: '34.17 % of the visitors',
    Taken: 'Gone: 12.5 %Running: 20 %Paused: 33.33 %',
  });
  await many.move(gone, 'archive');
  expect(await facts('Prices')).toMatchObject({
    Free: '46.67 % of the visitors',
    Taken: 'Running: 20 %Paused: 33.33 %',
  });
  expect(await facts(empty.name as string)).toMatchObject({ Free: '100 % of the visitors' });
});

it('the page shows environments with their code, and the API call', async () => {
  const document = await documentOf(admin, `${path}?kind=environments`);
  expect(factsOf(document, 'Production')).toMatchObject({
    Default: 'New experiments use this environment',
    'Applies if this returns true': 'return true;',
  });
  expect(textOf(document.querySelector('#call'))).toContain(
    `curl -sS ${stage.api.config.publicUrl}/api${shop.project}/environments`,
  );
});

it('the list is paged, with a constant number of SQL statements per page', async () => {
  const many = await stage.project('Many');
  for (let index = 1; index <= 27; index += 1) {
    const name = `Goal ${String(index).padStart(2, '0')}`;
    const { id } = await many.page({ name });
    await many.goal({ name, type: 'pageview', page_id: id });
  }
  const last = await documentOf(admin, `${many.project}/definitions?kind=goals&page=99`);
  expect(textsOf(last, 'main h2')).toEqual(['Goal 26', 'Goal 27']);
  const statements = (address: string) =>
    statementsDuring(stage.api, async () => {
      await admin.get(address);
    });
  const [few, all] = [await statements(path), await statements(`${many.project}/definitions`)];
  expect(all.length).toBe(few.length);
});

it('the page is 404 for members of other teams', async () => {
  const { visitor } = await signedIn(stage.api);
  expect((await visitor.get(path)).status).toBe(404);
});

it('the project page links to instructions for keeping all definitions in Git', async () => {
  const visitor = await stage.visitorOf(stage.world.people.viewer);
  const section = (await documentOf(visitor, stage.make.project)).querySelector('[aria-labelledby=as-code]');
  expect(section?.querySelector('.page-links a')?.getAttribute('href')).toBe(
    '/docs#/Projects/showDefinition',
  );
  expect(section?.querySelector('pre code')?.textContent).toContain(`/api${stage.make.project}/definition`);
});
