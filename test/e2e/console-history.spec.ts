import { parseHTML } from 'linkedom';
import { UnavailableError } from '../../src/common/errors/api-errors';
import { Database } from '../../src/database/database';
import { WebhookSwitch } from '../../src/webhooks/webhook-switch';
import { documentOf, submitPage, textOf, textsOf, useConsole } from '../support/console';
import type { Maker } from '../support/scene';
import { hiddenFields, type Visitor } from '../support/visitor';

/* The history page of a project, and the form that reverts a change. */

const stage = useConsole();
let admin: Visitor;
let shop: Maker;

beforeAll(async () => {
  admin = await stage.admin();
});

beforeEach(async () => {
  shop = await stage.project('Corner shop');
});

const path = () => `${shop.project}/audit`;
const titles = (document: Document): string[] => textsOf(document, 'main > section.card > h2');
const links = (document: Document): (string | null)[] =>
  [...document.querySelectorAll('.action-links a')].map((link) => link.getAttribute('href'));

it('the history is linked from the project and from each experiment, filtered by the experiment', async () => {
  const experiment = await shop.ready({ name: 'Green button' });
  const linkOn = async (address: string, text: string) => {
    const all = [...(await documentOf(admin, address)).querySelectorAll('main a')];
    return all.find((link) => textOf(link) === text)?.getAttribute('href');
  };
  expect(await linkOn(shop.project, 'History')).toBe(path());
  const link = await linkOn(experiment.path, 'Changes to this experiment');
  expect(link).toBe(`${path()}?item_type=experiment&item_id=${experiment.id}`);
  expect(titles(await documentOf(admin, String(link)))).toEqual(['Experiment “Green button”: create']);
});

it('the history shows who changed what, with diffs of code', async () => {
  const experiment = await shop.experiment({ name: 'Green button', traffic_allocation: 50 });
  await stage.client.patch(experiment.path, {
    traffic_allocation: 100,
    tags: ['<b>', 'shop'],
    js: 'one();\ntwo();',
  });
  const document = await documentOf(admin, path());
  expect(titles(document)).toEqual([
    'Experiment “Green button”: update',
    'Experiment “Green button”: create',
    'Environment “Production”: create',
    'Project “Corner shop”: create',
  ]);
  const [update] = document.querySelectorAll('main > section.card');
  expect([...update.querySelectorAll('.changes > ul > li > .name')].map(textOf)).toEqual([
    'Traffic allocation: 50 → 100',
    'Tags: none → <b>, shop',
    'Js changed',
  ]);
  expect([...update.querySelectorAll('.line-added')].map((line) => line.textContent)).toEqual([
    '+one();\n',
    '+two();\n',
  ]);
  expect(textOf(update.querySelector('.small'))).toMatch(
    /^\d+ \w+ \d{4}, \d\d:\d\d UTC, Person \d+ ?API token Test$/,
  );
  expect(textOf(document.querySelector('#call'))).toContain(`/api${path()}`);
});

it('the history shows changed conditions of pages and audiences as diffs, on the list and the revert form', async () => {
  const page = await shop.page({ conditions: [{ match: 'simple', value: '/basket' }] });
  const audience = await shop.audience({ conditions: ['and', { type: 'query', name: 'utm', value: 'a' }] });
  await stage.client.patch(page.path, { conditions: [{ match: 'simple', value: '/cart' }] });
  await stage.client.patch(audience.path, {
    conditions: ['and', { type: 'query', name: 'utm', value: 'b' }],
  });
  const document = await documentOf(admin, path());
  const [first, second] = [...document.querySelectorAll('.changes > ul > li')];
  expect([first, second].map((change) => textOf(change.querySelector('.name')))).toEqual([
    'Conditions changed',
    'Conditions changed',
  ]);
  expect(textOf(first.querySelector('.line-added'))).toContain('"value": "b"');
  expect(textOf(second.querySelector('.line-added'))).toContain('"value": "/cart"');
  for (const link of links(document).slice(0, 2)) {
    const form = await documentOf(admin, String(link));
    expect(textsOf(form, '.changes li .name')).toEqual(['Conditions changed']);
  }
});

it('the history is filtered by type, user, action, day and name, and ignores unknown values', async () => {
  await shop.goal({ name: 'Orders' });
  await shop.page({ name: 'Cart' });
  const shown = async (query: string) => titles(await documentOf(admin, `${path()}?${query}`));
  const [goal, page] = ['Goal “Orders”: create', 'Page “Cart”: create'];
  expect(await shown('item_type=goal')).toEqual([goal]);
  expect(await shown('search=cArT')).toEqual([page]);
  expect(await shown(`user_id=${stage.world.people.admin.id}`)).toEqual([page, goal]);
  expect(await shown('action=delete')).toEqual([]);
  expect(await shown('until=2020-01-01')).toEqual([]);
  expect(await shown('item_id=2147483647')).toEqual([]);
  expect(await shown('user_id=2147483647')).toEqual([]);
  expect(await shown('since=2020-01-01&item_type=page')).toEqual([page]);
  expect(await shown('since=yesterday&item_id=x&page=99')).toHaveLength(4);
  expect(await shown('item_type=goals&action=renamed')).toHaveLength(4);
  const { body } = await stage.client.get(`${path()}?search=CART`);
  expect(body).toHaveLength(1);
});

it('the filter offers every record type that the history contains', async () => {
  const webhook = { name: 'Chat', url: 'https://hooks.example.com/', events: ['experiment.started'] };
  await shop.of('webhooks', webhook);
  const kinds = [...(await documentOf(admin, path())).querySelectorAll('select[name=item_type] option')];
  expect(kinds.map((kind) => kind.getAttribute('value'))).toEqual(
    expect.arrayContaining(['webhook', 'visitor', 'visitor_exclusion']),
  );
  const filtered = await documentOf(admin, `${path()}?item_type=webhook`);
  expect(titles(filtered)).toEqual(['Webhook “Chat”: create']);
  expect(textOf(filtered.querySelector('option[value=webhook][selected]'))).toBe('Webhook');
});

it('the history does not say that the admin command made a change of the server', async () => {
  const webhook = await shop.of('webhooks', {
    name: 'Chat',
    url: 'https://hooks.example.com/',
    events: ['experiment.started'],
  });
  const called = { project_id: shop.projectId, webhook_id: webhook.id, url: 'https://hooks.example.com/' };
  await stage.api.app.get(WebhookSwitch, { strict: false }).turnOff(called);
  const { body } = await stage.client.get(`${path()}?item_type=webhook&action=update`);
  expect(body).toMatchObject([{ after: { is_active: false }, actor: { type: 'command' } }]);
  const document = await documentOf(admin, `${path()}?item_type=webhook&action=update`);
  expect(textOf(document.querySelector('main .card > .small'))).toMatch(/ UTC, Server or admin command$/);
});

it('the history shows an API call that returns the same changes as the page', async () => {
  await shop.goal({ name: 'Orders' });
  const today = new Date().toISOString().slice(0, 10);
  const document = await documentOf(admin, `${path()}?item_type=goal&since=${today}&until=${today}`);
  expect(titles(document)).toEqual(['Goal “Orders”: create']);
  const [, asked = ''] = /(\/projects\S+?)'/.exec(textOf(document.querySelector('#call'))) ?? [];
  expect((await stage.client.get(asked)).body).toMatchObject([{ item_name: 'Orders' }]);
});

it('the history formats times like other pages, unless they differ by less than a minute', async () => {
  const { path: experiment } = await shop.ready();
  const set = (starts_at: string) => stage.client.patch(experiment, { starts_at });
  await set('2030-01-02T03:04:05Z');
  await set('2030-01-02T03:04:06Z');
  const [second, first] = [...(await documentOf(admin, path())).querySelectorAll('.changes')].map(textOf);
  expect(first).toBe('Starts at: none → 2 January 2030, 03:04 UTC');
  expect(second).toBe('Starts at: 2030-01-02T03:04:05.000000Z → 2030-01-02T03:04:06.000000Z');
});

it('the reasons why a change cannot be reverted format times like other pages', async () => {
  const { path: experiment } = await shop.ready();
  const set = (starts_at: string | null) => stage.client.patch(experiment, { starts_at });
  await set('2030-01-02T03:04:05Z');
  const [link] = links(await documentOf(admin, path())).map(String);
  const fields = hiddenFields((await admin.get(link)).text);
  await set('2030-02-03T04:05:06Z');
  const reason =
    'The starts at field changed after this entry: ' +
    'it was 2 January 2030, 03:04 UTC and is now 3 February 2030, 04:05 UTC.';
  expect(textsOf(await documentOf(admin, link), '.changes li')).toEqual([reason]);
  const { status, text } = await admin.post(link, fields);
  const alert = parseHTML(text).document.querySelector('[role="alert"]');
  expect([status, textOf(alert)]).toEqual([422, reason]);
  await set('2030-01-02T03:04:30Z');
  expect(textsOf(await documentOf(admin, link), '.changes li')).toEqual([
    'The starts at field changed after this entry: it was "2030-01-02T03:04:05.000000Z" and is now "2030-01-02T03:04:30.000000Z".',
  ]);
});

it('the form reverts a change, after a preview, for users with permission', async () => {
  const goal = await shop.goal({ name: 'Orders' });
  await stage.client.patch(goal.path, { name: 'Sales' });
  const document = await documentOf(admin, path());
  const [link] = links(document).map(String);
  const form = await documentOf(admin, link);
  expect(textsOf(form, 'main h1, main h2')).toEqual(['Revert this change?', 'What will change']);
  expect(textsOf(form, '.changes li')).toEqual(['Name: Sales → Orders']);
  expect(textOf(form.querySelector('.as-curl pre'))).toContain(`/api${link}`);
  const [{ id }] = (await stage.client.get(`${path()}?item_type=goal&action=create`)).body as {
    id: number;
  }[];
  const refused = await documentOf(admin, `${path()}/${id}/revert`);
  expect(textsOf(refused, 'main h2')).toEqual(['This cannot be reverted now']);
  expect(textOf(refused.querySelector('.changes'))).toContain('The name field changed after this entry');
  expect(refused.querySelector('main button')).toBeNull();
  expect(textsOf(refused, 'main .actions')).toEqual(['Back']);
  const { status, location } = await submitPage(admin, link);
  expect([status, location]).toEqual([303, `${path()}?notice=reverted`]);
  expect((await stage.client.get(goal.path)).body.name).toBe('Orders');
  expect(textOf((await documentOf(admin, String(location))).querySelector('main'))).toContain(
    'The change was reverted.',
  );
  const viewer = await stage.visitorOf(stage.world.people.viewer);
  expect(links(await documentOf(viewer, path()))).toEqual([]);
  expect((await viewer.get(link)).status).toBe(403);
});

it('the history offers no revert that is impossible or needs another role', async () => {
  await shop.withStatus('running');
  await stage.client.patch(shop.project, { description: 'A shop' });
  const editor = await stage.visitorOf(stage.world.people.editor);
  const kinds = async (visitor: Visitor) =>
    [...(await documentOf(visitor, path())).querySelectorAll('main > section.card')]
      .filter((card) => card.querySelector('.action-links') !== null)
      .map((card) => textOf(card.querySelector('h2')).split(' ')[0]);
  expect(await kinds(editor)).toEqual([]);
  expect(await kinds(admin)).toEqual(['Project']);
  const { name } = await shop.goal({ name: 'Orders' });
  expect([name, await kinds(editor)]).toEqual(['Orders', ['Goal']]);
});

it('the history explains why a change cannot be reverted now, in place of the link', async () => {
  const { id, path: experiment, goals } = await shop.withStatus('running', { name: 'Green button' });
  await stage.client.patch(experiment, { description: 'First' });
  await stage.client.patch(experiment, { description: 'Second', tags: ['shop'] });
  const obstacles = async (visitor: Visitor): Promise<string[]> =>
    [...(await documentOf(visitor, path())).querySelectorAll('main > section.card > .muted')].map(
      (text) => `${textOf(text.closest('section')?.querySelector('h2') ?? null)}. ${textOf(text)}`,
    );
  const goal = (await stage.client.get(`${shop.project}/goals/${goals[0].id}`)).body as { name: string };
  expect(await obstacles(admin)).toEqual([
    'Experiment “Green button”: update. Cannot be reverted now: Description changed after this entry.',
    'Experiment “Green button”: create. Cannot be reverted now: Status, Description, Tags and Started at changed after this entry.',
    `Goal “${goal.name}”: create. Cannot be reverted now: The goal is used by running or previewed experiments: Green button (${id}).`,
    expect.stringContaining('The page is used by running or previewed experiments'),
    expect.stringContaining(
      'Environment “Production”: create. Cannot be reverted now: The default environment',
    ),
  ]);
  const viewer = await stage.visitorOf(stage.world.people.viewer);
  expect(await obstacles(viewer)).toEqual([]);
});

it('the history shows the revert links while the database is not writable, after waiting for it only once', async () => {
  await shop.goal({ name: 'Orders' });
  await shop.goal({ name: 'Sign-ups' });
  const attempt = jest
    .spyOn(stage.api.app.get(Database, { strict: false }), 'rollingBack')
    .mockRejectedValue(new UnavailableError());
  try {
    expect(links(await documentOf(admin, path()))).toHaveLength(3);
    expect(attempt).toHaveBeenCalledTimes(1);
  } finally {
    attempt.mockRestore();
  }
});

it('the history does not treat an unexpected error as a reason why a change cannot be reverted', async () => {
  await shop.goal({ name: 'Orders' });
  const attempt = jest
    .spyOn(stage.api.app.get(Database, { strict: false }), 'rollingBack')
    .mockRejectedValue(new TypeError('A bug'));
  try {
    expect((await admin.get(path())).status).toBe(500);
  } finally {
    attempt.mockRestore();
  }
});

it('the history does not try to revert a change whose record has changed since, because each attempt locks the project', async () => {
  const goal = await shop.goal({ name: 'Orders' });
  await stage.client.patch(goal.path, { name: 'Sales' });
  const attempt = jest.spyOn(stage.api.app.get(Database, { strict: false }), 'rollingBack');
  try {
    expect(links(await documentOf(admin, path()))).toHaveLength(1);
    // The update of the goal and the creation of the environment are tried, but not the creation of the goal.
    expect(attempt).toHaveBeenCalledTimes(2);
  } finally {
    attempt.mockRestore();
  }
});

it('a deletion can be reverted by users who can delete, as the deletion form says', async () => {
  const editor = await stage.visitorOf(stage.world.people.editor);
  const experiment = await shop.ready({ name: 'Unwanted' });
  const form = await documentOf(editor, `${experiment.path}/delete`);
  expect(textOf(form.querySelector('main form'))).toContain(
    'You can restore it within 30 days by reverting its deletion in the history.',
  );
  expect(form.querySelector('main form p a')?.getAttribute('href')).toBe(
    `${path()}?item_type=experiment&item_id=${experiment.id}`,
  );
  const { location = '' } = await submitPage(editor, `${experiment.path}/delete`);
  expect(textOf((await documentOf(editor, location)).querySelector('.message'))).toBe(
    'The experiment is in the trash. You can restore it within 30 days by reverting its deletion in the history.',
  );
  const [revert] = links(await documentOf(editor, path()));
  const question = textOf((await documentOf(editor, String(revert))).querySelector('main form'));
  expect(question).toContain('The experiment will be restored with its variations and results.');
  expect(question).not.toContain('Attach it');
  expect((await submitPage(editor, String(revert))).location).toBe(`${path()}?notice=reverted`);
  expect((await stage.client.get(experiment.path)).body).toMatchObject({ name: 'Unwanted' });
});

it.each([
  ['goal', true],
  ['page', true],
  ['environment', false],
])('a deleted %s can be restored, with a reminder to attach it again: %s', async (kind, isAttached) => {
  const list = kind === 'environment' ? `${shop.project}/settings/environments` : `${shop.project}/${kind}s`;
  const { body } = await stage.client.post(list, { name: 'Gone' });
  await stage.client.delete(`${list}/${body.id as number}`);
  const [revert] = links(await documentOf(admin, path()));
  const question = textOf((await documentOf(admin, String(revert))).querySelector('main form'));
  expect(question).toContain('The record will be restored with its id.');
  expect(question.includes('Attach it again to the experiments')).toBe(isAttached);
});

it('the history offers to revert long code, of which a long page shows only the beginning', async () => {
  const experiment = await shop.ready({ name: 'Green button' });
  for (let count = 0; count < 25; count += 1) {
    await stage.client.patch(experiment.path, { js: `// ${count} `.padEnd(100_000, 'x') });
  }
  const document = await documentOf(admin, `${path()}?item_type=experiment`);
  const cards = textsOf(document, 'main > section.card');
  expect(cards[0]).toContain('Revert: Experiment “Green button”: update');
  expect(cards[1]).toContain('Cannot be reverted now: Js changed after this entry.');
});
