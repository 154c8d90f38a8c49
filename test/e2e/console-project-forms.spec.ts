import { parseHTML } from 'linkedom';
import { documentOf, submitPage, textOf, textsOf, useConsole } from '../support/console';
import type { Maker } from '../support/scene';
import { hiddenFields, Visitor } from '../support/visitor';

/* Console forms that create projects, and change projects, settings and definitions. */

const stage = useConsole();

let admin: Visitor;
let make: Maker;
beforeEach(async () => {
  admin = await stage.admin();
  make = await stage.project('Shop');
});

const linksOf = (document: Document): string[] =>
  [...document.querySelectorAll('main a')].map((link) => link.getAttribute('href') ?? '');

const settingsOf = async () => (await stage.client.get(`${make.project}/settings`)).body as object;

describe('creating a project', () => {
  it('is linked from the start page for admins only, and redirects to the new project', async () => {
    const form = `/teams/${stage.world.teamId}/projects/new`;
    expect(linksOf(await documentOf(admin, '/'))).toContain(form);
    const publisher = await stage.visitorOf(stage.world.people.publisher);
    expect(linksOf(await documentOf(publisher, '/'))).not.toContain(form);
    expect((await publisher.get(form)).status).toBe(403);
    const { location = '' } = await submitPage(admin, form, { name: 'Blog & News', storage: 'cookie' });
    const [, path] = /^(\/projects\/\d+)\?notice=projectCreated$/.exec(location)!;
    expect((await stage.client.get(path)).body).toMatchObject({ name: 'Blog & News', storage: 'cookie' });
    expect((await admin.get(location)).text).toContain('The project was created.');
  });

  it('shows errors', async () => {
    const { status, text } = await submitPage(admin, `/teams/${stage.world.teamId}/projects/new`, {
      name: ' ',
      storage: 'sql',
    });
    expect(status).toBe(422);
    expect(text).toContain(
      "“Where the snippet stores a visitor's variation” must be one of: localStorage, cookie.",
    );
  });
});

describe('changing a project', () => {
  it('is linked for publishers, and saves all five fields', async () => {
    const publisher = await stage.visitorOf(stage.world.people.publisher);
    const forms = [`${make.project}/edit`, `${make.project}/settings/edit`];
    expect(linksOf(await documentOf(publisher, make.project))).toEqual(expect.arrayContaining(forms));
    const editor = await stage.visitorOf(stage.world.people.editor);
    expect(linksOf(await documentOf(editor, make.project))).not.toContain(forms[0]);
    const fields = {
      name: 'Store',
      description: 'A\r\nB',
      significance: '97,5',
      min_conversions: '50',
      min_runtime_days: '14',
    };
    const { location } = await submitPage(publisher, forms[0], fields);
    expect(location).toBe(`${make.project}?notice=saved`);
    expect((await stage.client.get(make.project)).body).toMatchObject({
      name: 'Store',
      description: 'A\nB',
      significance: 97.5,
      min_conversions: 50,
      min_runtime_days: 14,
    });
  });

  it('rejects ambiguous numbers', async () => {
    const form = `${make.project}/settings/edit`;
    const before = await settingsOf();
    for (const number of ['100,000', '100.000']) {
      const { status, text } = await submitPage(admin, form, { events_per_minute: number });
      expect([status, text]).toEqual([422, expect.stringContaining(`value="${number}"`)]);
    }
    expect(await settingsOf()).toEqual(before);
  });

  it('saves all settings, and changes nothing if the form is unchanged', async () => {
    const form = `${make.project}/settings/edit`;
    const before = await settingsOf();
    await submitPage(admin, form);
    expect(await settingsOf()).toEqual(before);
    const page = await documentOf(admin, form);
    expect(page.querySelector('[name="push_to.gtag"]')?.hasAttribute('checked')).toBe(false);
    const changes = {
      statistics_method: 'bayesian',
      correction: 'holm',
      uplift_prior: '30',
      currency: 'EUR',
      share_by_default: 'false',
      allowed_origins: 'https://shop.example.com\r\nhttps://www.example.com\r\n',
      events_per_minute: '5000',
      'push_to.dataLayer': 'on',
      'push_to.gtag': 'on',
    };
    expect((await submitPage(admin, form, changes)).status).toBe(303);
    const after = await settingsOf();
    expect(after).toMatchObject({
      statistics_method: 'bayesian',
      correction: 'holm',
      uplift_prior: 30,
      currency: 'EUR',
      share_by_default: false,
      allowed_origins: ['https://shop.example.com', 'https://www.example.com'],
      events_per_minute: 5000,
      push_to: ['dataLayer', 'gtag'],
    });
    await submitPage(admin, form);
    expect(await settingsOf()).toEqual(after);
    await submitPage(admin, form, {
      currency: '',
      allowed_origins: '',
      events_per_minute: '',
      uplift_prior: '',
    });
    expect(await settingsOf()).toMatchObject({
      currency: null,
      allowed_origins: null,
      events_per_minute: null,
      uplift_prior: null,
    });
  });

  it('distinguishes a project that allows no site from a project that allows every site', async () => {
    const form = `${make.project}/settings/edit`;
    const shown = async () =>
      (await documentOf(admin, form))
        .querySelector('[name="unlisted_origins"][checked]')
        ?.getAttribute('value');
    expect(await shown()).toBe('all');
    await stage.client.patch(`${make.project}/settings`, { allowed_origins: [] });
    expect(await shown()).toBe('none');
    await submitPage(admin, form, { currency: 'EUR' });
    expect(await settingsOf()).toMatchObject({ currency: 'EUR', allowed_origins: [] });
    await submitPage(admin, form, { unlisted_origins: 'all' });
    expect(await settingsOf()).toMatchObject({ allowed_origins: null });
    await submitPage(admin, form, { unlisted_origins: 'none' });
    expect(await settingsOf()).toMatchObject({ allowed_origins: [] });
  });

  it('shows errors next to the settings, and keeps the input', async () => {
    const { status, text } = await submitPage(admin, `${make.project}/settings/edit`, {
      allowed_origins: 'https://shop.example.com/path',
      events_per_minute: 'many',
      'push_to.gtag': 'on',
    });
    expect(status).toBe(422);
    expect(text).toContain('must be written as browsers send it: https://shop.example.com.');
    expect(text).toContain('value="many"');
    expect(text).toMatch(/name="push_to\.gtag"[^>]*checked/);
  });

  it('is rejected if the settings have changed in the meantime', async () => {
    const form = `${make.project}/settings/edit`;
    const { text } = await admin.get(form);
    await stage.client.patch(`${make.project}/settings`, { currency: 'USD' });
    const stale = await admin.post(form, { ...hiddenFields(text), statistics_method: 'bayesian' });
    expect([stale.status, stale.text]).toEqual([412, expect.stringContaining('Someone else changed this')]);
  });
});

describe('environments', () => {
  const list = (): string => `${make.project}/definitions?kind=environments`;

  it('are created, changed and deleted by admins, starting from the list', async () => {
    const add = `${make.project}/settings/environments/add`;
    expect(linksOf(await documentOf(admin, list()))).toContain(add);
    const code = "return location.hostname === 'test';";
    const created = await submitPage(admin, add, { name: 'Test', code });
    expect(created.location).toBe(`${list()}&notice=created`);
    const page = await documentOf(admin, created.location!);
    expect(page.body.textContent).toContain('Created.');
    const edit = linksOf(page).find(
      (link) => link.endsWith('/edit') && page.querySelector(`a[href="${link}"][aria-label="Edit Test"]`),
    )!;
    await submitPage(admin, edit, { name: 'Staging', code, 'is_default.true': 'on' });
    const read = async () => (await stage.client.get(`${make.project}/environments`)).body as object[];
    expect(await read()).toMatchObject([
      { name: 'Production', is_default: false },
      { name: 'Staging', is_default: true, code },
    ]);
    expect((await documentOf(admin, edit)).querySelector('[name="is_default.true"]')).toBeNull();
    const refused = await submitPage(admin, edit.replace(/edit$/, 'delete'));
    expect([refused.status, refused.text]).toEqual([
      422,
      expect.stringContaining('The default environment cannot be deleted'),
    ]);
    const remove = linksOf(await documentOf(admin, list())).find((link) => link.endsWith('/delete'))!;
    expect((await submitPage(admin, remove)).location).toBe(`${list()}&notice=environmentDeleted`);
    expect(await read()).toMatchObject([{ name: 'Staging' }]);
  });

  it('are read-only for other roles', async () => {
    const publisher = await stage.visitorOf(stage.world.people.publisher);
    expect(linksOf(await documentOf(publisher, list())).join()).not.toContain('settings/environments');
  });
});

describe('creating definitions', () => {
  it('creates an experiment in an empty project, with a goal and a page', async () => {
    const editor = await stage.visitorOf(stage.world.people.editor);
    const form = `${make.project}/experiments/new`;
    expect(linksOf(await documentOf(editor, make.project))).toContain(form);
    await submitPage(editor, `${make.project}/goals/new`, {
      name: 'Order placed',
      value_type: 'revenue',
    });
    await submitPage(editor, `${make.project}/pages/new`, {
      name: 'Products',
      match: 'starts_with',
      conditions: 'https://shop.example.com/products/\nhttps://shop.example.com/sale/',
    });
    const [goal] = (await stage.client.get(`${make.project}/goals`)).body as { id: number }[];
    const [page] = (await stage.client.get(`${make.project}/pages`)).body as { id: number }[];
    expect(goal).toMatchObject({ name: 'Order placed', type: 'custom', value_type: 'revenue' });
    expect(page).toMatchObject({
      conditions: ['products', 'sale'].map((path) => ({
        match: 'starts_with',
        value: `https://shop.example.com/${path}/`,
        negate: false,
      })),
    });
    expect(textsOf(await documentOf(editor, form), '.choice')).toEqual(['Products', 'Order placed']);
    const { location = '' } = await submitPage(editor, form, {
      name: 'Green button',
      variations: 'Blue\r\n\r\nGreen',
      [`goals.${goal.id}`]: 'on',
      [`pages.${page.id}`]: 'on',
    });
    const [, path] = /^(.*)\?notice=experimentCreated$/.exec(location)!;
    const { body } = await stage.client.get(path);
    expect(body).toMatchObject({
      name: 'Green button',
      status: 'draft',
      goals: [{ id: goal.id }],
      pages: [{ id: page.id }],
    });
    expect((body as { variations: { name: string; is_original: boolean }[] }).variations).toMatchObject([
      { name: 'Blue', is_original: true },
      { name: 'Green', is_original: false },
    ]);
    expect((await editor.get(location)).text).toContain('The experiment was created.');
  });

  it.each(['one of several', 'the only one'])(
    'shows the error about a deleted goal next to the goals: %s',
    async (which) => {
      const goal = await make.goal({ name: 'Orders' });
      if (which === 'one of several') {
        await make.goal({ name: 'Sign-ups' });
      }
      await stage.client.delete(goal.path);
      const fields = { name: 'Button', variations: 'A\nB', [`goals.${goal.id}`]: 'on' };
      const { status, text } = await submitPage(admin, `${make.project}/experiments/new`, fields);
      const { document } = parseHTML(text);
      const [link] = document.querySelectorAll('[role="alert"] a');
      const target = document.getElementById(link?.getAttribute('href')?.slice(1) ?? '');
      const field = target?.closest('.field');
      expect([status, textOf(target)]).toEqual([422, 'Goals']);
      expect(textOf(field?.querySelector('.error') ?? null)).toContain(String(goal.id));
    },
  );

  it('creates one experiment if the form is submitted twice', async () => {
    const form = `${make.project}/experiments/new`;
    const fields = { ...hiddenFields((await admin.get(form)).text), name: 'Once', variations: 'A' };
    const [first, second] = [await admin.post(form, fields), await admin.post(form, fields)];
    expect([first.status, second.location]).toEqual([303, first.location]);
    expect((await stage.client.get(`${make.project}/experiments`)).body).toHaveLength(1);
  });

  it('names the form fields in errors about a goal or a page', async () => {
    for (const [type, error] of [
      ['click', '“CSS selector” is required for click goals.'],
      ['pageview', '“Page” is required for pageview goals.'],
    ]) {
      const goal = await submitPage(admin, `${make.project}/goals/new`, { name: 'Goal', type });
      expect([goal.status, goal.text]).toEqual([422, expect.stringContaining(error)]);
    }
    const page = await submitPage(admin, `${make.project}/pages/new`, {
      name: 'Page',
      match: 'regex',
      conditions: '(',
    });
    expect(page.status).toBe(422);
    expect(page.text).toContain('href="#conditions">“URLs or texts”: the pattern does not compile');
  });

  it('accepts a page only for goals that can have one', async () => {
    const { id } = await make.page({ name: 'Cart' });
    const form = `${make.project}/goals/new`;
    const hint = textOf((await documentOf(admin, form)).querySelector('#page_id-hint'));
    const click = { name: 'Click', type: 'click', selector: '.buy', page_id: String(id) };
    expect([hint, (await submitPage(admin, form, click)).status]).toEqual(['For page views only.', 422]);
  });

  it('says so if a goal form offers only the first 100 pages', async () => {
    const many = await stage.project('Many pages');
    await Promise.all(Array.from({ length: 100 }, (_, index) => many.page({ name: `Page ${index}` })));
    const document = await documentOf(admin, `${many.project}/goals/new`);
    expect(textOf(document.querySelector('#page_id-hint'))).toBe(
      'For page views only. Only the first 100 pages by name are listed. To create a goal for another page, use the API.',
    );
  });

  it('is not available to viewers', async () => {
    const viewer = await stage.visitorOf(stage.world.people.viewer);
    const pages = [make.project, `${make.project}/definitions`];
    const links = (await Promise.all(pages.map((page) => documentOf(viewer, page)))).flatMap(linksOf);
    expect(links.filter((link) => link.endsWith('/new'))).toEqual([]);
  });
});
