import { parseHTML } from 'linkedom';
import { documentOf, submitPage, textOf, textsOf, useConsole } from '../support/console';
import type { Maker, Made } from '../support/scene';
import type { Visitor } from '../support/visitor';

/* Audiences and exclusion groups in the console: their forms, and choosing audiences for an experiment. */

const stage = useConsole();
let editor: Visitor;
let shop: Maker;

beforeEach(async () => {
  editor = await stage.visitorOf(stage.world.people.editor);
  shop = await stage.project('Shop');
});

const read = async (path: string): Promise<unknown> => (await stage.client.get(path)).body;

type Condition = Partial<Record<'type' | 'name' | 'match' | 'value', string>>;

const fieldsOf = (conditions: Condition[]): Record<string, string> =>
  Object.fromEntries(
    conditions.flatMap((condition, index) =>
      Object.entries(condition).map(([part, text]) => [`conditions.${index + 1}.${part}`, text]),
    ),
  );

describe('a new audience', () => {
  const form = (): string => `${shop.project}/audiences/new`;
  const submit = (fields: Record<string, string>) => submitPage(editor, form(), fields);

  it('has the conditions entered in its form', async () => {
    const list = `${shop.project}/definitions?kind=audiences`;
    expect(textsOf(await documentOf(editor, list), 'a.button')).toEqual(['New audience']);
    const { location } = await submit({
      name: 'German phones',
      operator: 'and',
      ...fieldsOf([
        { type: 'device', match: 'in', value: 'mobile\r\ntablet\r\n' },
        { type: 'attribute', name: 'age', match: 'gte', value: '18' },
        { type: 'country', match: 'exact', value: 'DE\r\n' },
      ]),
    });
    expect(location).toBe(`${list}&notice=created`);
    expect(await read(`${shop.project}/audiences`)).toMatchObject([
      {
        name: 'German phones',
        conditions: [
          'and',
          { type: 'device', match: 'in', value: ['mobile', 'tablet'] },
          { type: 'attribute', name: 'age', match: 'gte', value: 18 },
          { type: 'country', match: 'exact', value: 'DE' },
        ],
      },
    ]);
  });

  it.each<[string, string, Condition[], unknown]>([
    ['everyone', 'and', [], null],
    [
      'one of two',
      'or',
      [
        { type: 'visitor', value: 'new' },
        { type: 'query', name: 'utm_source', match: 'exists' },
      ],
      [
        'or',
        { type: 'visitor', match: 'exact', value: 'new' },
        { type: 'query', name: 'utm_source', match: 'exists' },
      ],
    ],
    [
      'code',
      'and',
      [{ type: 'javascript', value: 'const a = 1;\nreturn a > 0;' }],
      ['and', { type: 'javascript', value: 'const a = 1;\nreturn a > 0;' }],
    ],
  ])('can include %s', async (name, operator, conditions, expected) => {
    const { status } = await submit({ name, operator, ...fieldsOf(conditions) });
    expect([status, await read(`${shop.project}/audiences`)]).toEqual([
      303,
      [expect.objectContaining({ name, conditions: expected })],
    ]);
  });

  it.each([
    ['10,000', 'can mean 10000 or 10.000: enter 10000 or 10.0000.'],
    ['1.000', 'can mean 1000 or 1.000: enter 1000 or 1.0000.'],
    ['1,000,000', 'must be a number or a string'],
  ])('rejects %s, which would match nobody as text', async (value, reason) => {
    const conditions = fieldsOf([{ type: 'attribute', name: 'orders', match: 'gte', value }]);
    const { status, text } = await submit({ name: 'Regulars', operator: 'and', ...conditions });
    expect([status, text]).toEqual([422, expect.stringContaining(`“Value of condition 1” ${reason}`)]);
  });

  it.each([
    ['2.5', 2.5],
    ['10 000', 10_000],
    ['-3', -3],
    ['2026-05-01', '2026-05-01'],
  ])('compares attributes with %s', async (value, expected) => {
    const conditions = fieldsOf([{ type: 'attribute', name: ' seen ', match: 'gte', value }]);
    await submit({ name: 'Regulars', operator: 'and', ...conditions });
    expect(await read(`${shop.project}/audiences`)).toMatchObject([
      { conditions: ['and', { name: 'seen', match: 'gte', value: expected }] },
    ]);
  });

  it('shows messages next to condition fields, and keeps the input', async () => {
    const { status, text } = await submit({
      name: 'Phones',
      operator: 'or',
      ...fieldsOf([
        { type: 'device', match: 'in', value: 'mobile\nphone' },
        {},
        { type: 'cookie', match: 'contains', value: 'a' },
      ]),
    });
    const { document } = parseHTML(text);
    const links = [...document.querySelectorAll('[role="alert"] a')];
    expect([status, links.map((link) => [link.getAttribute('href'), textOf(link)])]).toEqual([
      422,
      [
        [
          '#conditions.1.value',
          '“phone” in “Value of condition 1”: the value must be one of: desktop, mobile, tablet.',
        ],
        ['#conditions.2.type', '“Condition 2” is required.'],
        ['#conditions.3.name', '“Name in condition 3” is required.'],
      ],
    ]);
    expect(document.getElementById('conditions.1.value')?.textContent).toBe('mobile\nphone');
    expect(await read(`${shop.project}/audiences`)).toEqual([]);
  });
});

it('an exclusion group is created in its form', async () => {
  const list = `${shop.project}/definitions?kind=exclusion_groups`;
  expect(textsOf(await documentOf(editor, list), 'a.button')).toEqual(['New exclusion group']);
  const { location } = await submitPage(editor, `${shop.project}/exclusion-groups/new`, {
    name: 'Checkout',
    description: '',
  });
  expect(location).toBe(`${list}&notice=created`);
  expect(await read(`${shop.project}/exclusion-groups`)).toMatchObject([
    { name: 'Checkout', description: null },
  ]);
});

describe('the audiences of an experiment', () => {
  const made = async (...names: string[]): Promise<Made[]> => {
    const audiences: Made[] = [];
    for (const name of names) {
      audiences.push(await shop.audience({ name }));
    }
    return audiences;
  };

  it('are chosen when the experiment is created', async () => {
    const [phones] = await made('Phones');
    const { location = '' } = await submitPage(editor, `${shop.project}/experiments/new`, {
      name: 'Button',
      variations: 'A\nB',
      [`audiences.${phones.id}`]: 'on',
    });
    expect(await read(location.split('?')[0])).toMatchObject({ audiences: [{ id: phones.id }] });
  });

  it('are changed in the form for pages and goals', async () => {
    const [phones, tablets] = await made('Phones', 'Tablets');
    const experiment = await shop.experiment({ audiences: [phones.id] });
    const page = await documentOf(editor, experiment.path);
    const form = `${experiment.path}/attachments`;
    expect(page.querySelector(`a[href="${form}#audiences"]`)?.textContent).toBe('Change the audiences');
    const { location } = await submitPage(editor, form, {
      [`audiences.${tablets.id}`]: 'on',
      audiences_match_type: 'all',
    });
    expect([location, await read(experiment.path)]).toEqual([
      `${experiment.path}?notice=saved`,
      expect.objectContaining({
        audiences: [expect.objectContaining({ id: phones.id }), expect.objectContaining({ id: tablets.id })],
        audiences_match_type: 'all',
      }),
    ]);
  });

  it('have no match type to choose if there is only one', async () => {
    const [phones] = await made('Phones');
    const experiment = await shop.experiment({ audiences: [phones.id], audiences_match_type: 'all' });
    const form = `${experiment.path}/attachments`;
    expect((await documentOf(editor, form)).querySelector('[name="audiences_match_type"]')).toBeNull();
    await submitPage(editor, form, { [`audiences.${phones.id}`]: undefined });
    expect(await read(experiment.path)).toMatchObject({ audiences: [], audiences_match_type: 'all' });
  });

  it('link to the form that creates the first one', async () => {
    const experiment = await shop.experiment();
    const document = await documentOf(editor, `${experiment.path}/attachments`);
    expect(document.querySelector(`main a[href="${shop.project}/audiences/new"]`)).not.toBeNull();
  });
});
