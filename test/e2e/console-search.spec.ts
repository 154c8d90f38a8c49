import { documentOf, rowsOf, textOf, textsOf, useConsole } from '../support/console';
import { type Made, Maker } from '../support/scene';
import { statementsDuring } from '../support/statements';
import { signedIn, Visitor, withPassword } from '../support/visitor';

/* Searching for experiments in all teams of the user. */

const NAMES = ['Grüner Knopf', 'شراء \u202e الآن', '購入ボタン', '🛒 <b>Cart</b>'];

const stage = useConsole();
let admin: Visitor;
let second: Maker;

beforeAll(async () => {
  admin = await stage.admin();
  const { admin: ada, editor, publisher } = stage.world.people;
  const team = await stage.api.team('Second team');
  await stage.api.join(team, ada, 'viewer');
  await stage.api.join(team, publisher, 'editor');
  second = new Maker(publisher.client, `/projects/${await stage.api.project(team, 'Second shop')}`);
  const first = new Maker(editor.client, stage.world.project);
  await first.experiment({ name: NAMES[0], tags: ['cart', 'green'] });
  await first.experiment({ name: NAMES[1], tags: ['cart-page'] });
  await second.experiment({ name: NAMES[2], tags: ['cart'] });
  await stage.make.withStatus('running', { name: NAMES[3] });
  const deleted = await first.experiment({ name: 'Deleted', tags: ['cart'] });
  await stage.client.delete(deleted.path);
  const { outsider } = stage.world;
  const [other] = (await outsider.client.get('/teams')).body as { id: number }[];
  const theirs = new Maker(outsider.client, `/projects/${await stage.api.project(other.id, 'Secret')}`);
  await theirs.experiment({ name: 'Secret knopf', tags: ['cart'] });
});

const search = async (query: object, visitor = admin): Promise<Document> =>
  documentOf(visitor, `/experiments?${new URLSearchParams(query as Record<string, string>)}`);

const namesFor = async (query: object, visitor = admin): Promise<string[]> =>
  rowsOf(await search(query, visitor)).map(([name]) => name);

/** The value of an option, by label. */
const optionOf = (document: Document, field: string, text: string): string =>
  [...document.querySelectorAll(`select[name=${field}] option`)]
    .find((option) => textOf(option) === text)
    ?.getAttribute('value') ?? `no ${text}`;

it('the search is linked from the navigation and from the start page', async () => {
  const home = await documentOf(admin, '/');
  const links = [...home.querySelectorAll('a[href="/experiments"]')].map(textOf);
  expect(links).toEqual(['Search', 'Search experiments']);
});

it('the search shows the experiments of all teams, most recently changed first', async () => {
  const document = await search({});
  expect(textsOf(document, 'h1')).toEqual(['Experiments in all teams 4']);
  const rows = rowsOf(document);
  expect(rows.map(([name]) => name)).toEqual([NAMES[3], NAMES[2], 'شراء الآن', NAMES[0]]);
  expect(rows[1].slice(0, 5)).toEqual([NAMES[2], 'Second team', 'Second shop', 'Draft', 'cart']);
  expect(rows[1][6]).toMatch(/UTC$/);
  const link = document.querySelectorAll('tbody th a')[1].getAttribute('href');
  expect(link).toMatch(new RegExp(`^${second.project}/experiments/\\d+$`));
});

it('the search finds experiments by part of the name, whole tag, status and team', async () => {
  expect(await namesFor({ search: 'KNOPF' })).toEqual([NAMES[0]]);
  expect(await namesFor({ search: '購入' })).toEqual([NAMES[2]]);
  expect(await namesFor({ tag: 'cart' })).toEqual([NAMES[2], NAMES[0]]);
  expect(await namesFor({ status: 'running' })).toEqual([NAMES[3]]);
  const team = optionOf(await search({}), 'team', 'Second team');
  expect(await namesFor({ team })).toEqual([NAMES[2]]);
  const none = await search({ team, tag: 'green' });
  expect(textOf(none.querySelector('main'))).toContain('No experiments match. Show all');
  expect(none.querySelector('#tag')?.getAttribute('value')).toBe('green');
  expect(textsOf(none, 'option[selected]')).toEqual(['Second team']);
});

it('the search finds experiments by the user who created or cloned them', async () => {
  const { editor, publisher } = stage.world.people;
  expect(await namesFor({ creator: String(editor.id) })).toEqual(['شراء الآن', NAMES[0]]);
  expect(await namesFor({ creator: String(publisher.id) })).toEqual([NAMES[2]]);
  const document = await search({ search: '購入' });
  const name = textOf(document.querySelector(`select[name=creator] option[value="${publisher.id}"]`));
  expect(rowsOf(document)[0][5]).toBe(name);
  const source = await second.experiment({ name: 'Cloned soon' });
  const clone = (await publisher.client.post(`${source.path}/clone`, {})).body as Made;
  const names = await namesFor({ creator: String(publisher.id), search: 'soon' });
  expect(names).toEqual([clone.name, 'Cloned soon']);
  await publisher.client.delete(source.path);
  await publisher.client.delete(`${second.project}/experiments/${clone.id}`);
});

it('the search does not find experiments by a user who only changed them', async () => {
  const { editor, publisher } = stage.world.people;
  const made = await new Maker(editor.client, stage.world.project).experiment({ name: 'Changed soon' });
  expect((await publisher.client.patch(made.path, { tags: ['changed'] })).status).toBe(200);
  expect(await namesFor({ creator: String(editor.id), search: 'soon' })).toEqual(['Changed soon']);
  expect(await namesFor({ creator: String(publisher.id), search: 'soon' })).toEqual([]);
  await editor.client.delete(made.path);
});

it('the search does not show experiments of projects in the trash', async () => {
  const project = `/projects/${await stage.api.project(stage.world.teamId, 'Gone')}`;
  await new Maker(stage.client, project).experiment({ name: 'Gone soon' });
  expect(await namesFor({ search: 'soon' })).toEqual(['Gone soon']);
  expect((await stage.client.delete(project)).status).toBe(204);
  expect(await namesFor({ search: 'soon' })).toEqual([]);
  expect(textsOf(await search({}), 'h1')).toEqual(['Experiments in all teams 4']);
});

it('the search does not show other teams, and ignores filters for them', async () => {
  const { outsider, people } = stage.world;
  const [theirs] = (await outsider.client.get('/teams')).body as { id: number }[];
  const document = await search({});
  expect(document.documentElement.outerHTML).not.toMatch(/Secret|Other team|Deleted/);
  expect(document.querySelector(`select[name=creator] option[value="${outsider.id}"]`)).toBeNull();
  const asked = await search({ team: String(theirs.id), creator: String(outsider.id) });
  expect(rowsOf(asked)).toHaveLength(4);
  const visitor = await stage.visitorOf(outsider);
  expect(await namesFor({}, visitor)).toEqual(['Secret knopf']);
  expect(await namesFor({ creator: String(people.editor.id), tag: 'cart' }, visitor)).toEqual([
    'Secret knopf',
  ]);
  expect(await namesFor({}, await stage.visitorOf(people.viewer))).not.toContain(NAMES[2]);
});

it('the search explains that the user is in no team', async () => {
  const { visitor } = await signedIn(stage.api);
  expect(textOf((await search({}, visitor)).querySelector('main'))).toContain('You are not in a team yet.');
});

it('the search has pages of 100 experiments, with a constant number of SQL statements per page', async () => {
  const person = await stage.api.person();
  const team = await stage.api.team('Many');
  await stage.api.join(team, person, 'admin');
  const make = new Maker(person.client, `/projects/${await stage.api.project(team, 'Many')}`);
  await make.experiment({ name: 'First', tags: ['a & b'] });
  const { visitor } = await signedIn(stage.api, await withPassword(stage.api, person));
  const statements = (address: string) => statementsDuring(stage.api, () => visitor.get(address));
  const few = await statements('/experiments');
  for (let index = 0; index < 101; index += 1) {
    await make.experiment({ name: `Number ${index}`, tags: ['a & b'] });
  }
  expect((await statements('/experiments')).length).toBe(few.length);
  const whole = await search({ tag: 'a & b' }, visitor);
  expect(rowsOf(whole)).toHaveLength(100);
  const next = whole.querySelector('a[rel=next]')?.getAttribute('href') ?? '';
  expect(rowsOf(await documentOf(visitor, next)).map(([name]) => name)).toEqual(['Number 0', 'First']);
  expect(await namesFor({ page: '99' }, visitor)).toEqual(['Number 0', 'First']);
});
