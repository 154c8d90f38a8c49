import { parseHTML } from 'linkedom';
import { documentOf, submitForm, submitPage, textOf, textsOf, useConsole } from '../support/console';
import type { Made } from '../support/scene';
import { Visitor } from '../support/visitor';

/* The edit and decision forms of an experiment. */

const stage = useConsole();
let admin: Visitor;
beforeAll(async () => {
  admin = await stage.admin();
});

const recordOf = async ({ path }: { path: string }): Promise<Made> =>
  (await stage.client.get(path)).body as Made;

describe('the edit form', () => {
  it('changes name, description, traffic and tags', async () => {
    const experiment = await stage.make.ready({ name: 'Before', description: 'Old', tags: ['a', 'b'] });
    const document = await documentOf(admin, `${experiment.path}/edit`);
    expect(document.querySelector('textarea[name="tags"]')?.textContent).toBe('a\nb');
    const fields = {
      name: 'نام',
      description: 'One\r\n"Two" <b>',
      traffic_allocation: '12,5',
      tags: 'b\r\n\r\n 日本 ',
    };
    const { location } = await submitForm(admin, document.querySelector('main form'), fields);
    expect(location).toBe(`${experiment.path}?notice=saved`);
    expect(await recordOf(experiment)).toMatchObject({
      name: 'نام',
      description: 'One\n"Two" <b>',
      traffic_allocation: 12.5,
      tags: ['b', '日本'],
    });
  });

  it('keeps input that the API rejects, and shows all messages', async () => {
    const experiment = await stage.make.ready({ name: 'Kept' });
    const fields = { name: ' ', traffic_allocation: 'half', tags: 'x'.repeat(60) };
    const { status, text } = await submitPage(admin, `${experiment.path}/edit`, fields);
    const { document } = parseHTML(text);
    expect([status, textsOf(document, '.error').length]).toEqual([422, 3]);
    expect(document.querySelector('input[name="traffic_allocation"]')?.getAttribute('value')).toBe('half');
    expect(document.querySelector('textarea[name="tags"]')?.textContent).toBe('x'.repeat(60));
    expect(textsOf(document, '[role="alert"] a')).toHaveLength(3);
    expect((await recordOf(experiment)).name).toBe('Kept');
  });

  it('says that an empty number field is required, not that it cannot be null', async () => {
    const { path } = await stage.make.experiment();
    const { status, text } = await submitPage(admin, `${path}/edit`, { traffic_allocation: '' });
    const error = textOf(parseHTML(text).document.querySelector('#traffic_allocation-error'));
    expect([status, error]).toEqual([422, '“Traffic (% of eligible visitors)” is required.']);
  });

  it('shows concurrent changes next to the input', async () => {
    const experiment = await stage.make.ready({ name: 'First', description: 'Same' });
    const document = await documentOf(admin, `${experiment.path}/edit`);
    await stage.client.patch(experiment.path, { name: 'Theirs', traffic_allocation: 40 });
    const fields = { name: 'Mine' };
    const stale = await submitForm(admin, document.querySelector('main form'), fields);
    const page = parseHTML(stale.text).document;
    expect([stale.status, page.querySelector('input[name="name"]')?.getAttribute('value')]).toEqual([
      412,
      'Mine',
    ]);
    expect(textOf(page.querySelector('#name-now'))).toBe('Current value: Theirs');
    expect(textOf(page.querySelector('#traffic_allocation-now'))).toBe('Someone else has changed this.');
    expect(page.querySelector('#description-now')).toBeNull();
    expect((await submitForm(admin, page.querySelector('main form'), {})).status).toBe(303);
    expect(await recordOf(experiment)).toMatchObject({ name: 'Mine', traffic_allocation: 40 });
  });

  it('sets the plan before the first start', async () => {
    const experiment = await stage.make.ready({ minimum_effect: 3, planned_participants: 100 });
    const edit = `${experiment.path}/edit`;
    const plan = { minimum_effect: '−2,5', planned_participants: '20\u202f000', planned_end: '2096-02-29' };
    expect((await submitPage(admin, edit, plan)).location).toBe(`${experiment.path}?notice=saved`);
    const planned = { minimum_effect: -2.5, planned_participants: 20_000, planned_end: '2096-02-29' };
    expect(await recordOf(experiment)).toMatchObject(planned);
    const { text } = await submitPage(admin, edit, { planned_participants: '1', planned_end: '2020-01-01' });
    const { document } = parseHTML(text);
    expect(textOf(document.querySelector('#planned_participants-error'))).toMatch(
      /^“Planned participants, across all variations” must be/,
    );
    expect(textOf(document.querySelector('#planned_end-error'))).toContain('is before the start');
    const nothing = { minimum_effect: '', planned_participants: '', planned_end: '' };
    await submitPage(admin, edit, nothing);
    const empty = { minimum_effect: null, planned_participants: null, planned_end: null };
    expect(await recordOf(experiment)).toMatchObject(empty);
  });

  it('offers only the minimum detectable effect of the plan after the first start', async () => {
    const experiment = await stage.make.withStatus('running', { planned_participants: 100 });
    const document = await documentOf(admin, `${experiment.path}/edit`);
    expect(document.querySelector('[name^=planned_]')).toBeNull();
    await submitForm(admin, document.querySelector('main form'), { minimum_effect: '5' });
    expect(await recordOf(experiment)).toMatchObject({ minimum_effect: 5, planned_participants: 100 });
  });

  it('changes only the hypothesis once the experiment is archived', async () => {
    const experiment = await stage.make.withStatus('archive', { name: 'Over' });
    const { document } = parseHTML((await admin.get(`${experiment.path}/edit`)).text);
    expect(
      [...document.querySelectorAll('main form textarea, main form input[type="text"]')].map(({ id }) => id),
    ).toEqual(['hypothesis']);
    const { status } = await submitPage(admin, `${experiment.path}/edit`, { hypothesis: 'Green\r\nsells.' });
    expect(status).toBe(303);
    expect(await recordOf(experiment)).toMatchObject({ name: 'Over', hypothesis: 'Green\nsells.' });
  });

  it('sets the share of one variation, and the other variations split the rest', async () => {
    const experiment = await stage.make.ready();
    const [, variation] = experiment.variations as { id: number }[];
    const page = await documentOf(admin, experiment.path);
    const address = `${experiment.path}/variations/${variation.id}/edit`;
    const links = [...page.querySelectorAll('tbody a')].map((link) => link.getAttribute('href'));
    expect(links).toContain(address);
    expect((await submitPage(admin, address, { traffic_allocation: '20,55' })).status).toBe(303);
    const document = await documentOf(admin, address);
    expect(textOf(document.querySelector('#traffic_allocation-hint'))).toContain(
      'Current shares: 79.45 % / 20.55 %.',
    );
    const [, record] = (await recordOf(experiment)).variations as { traffic_allocation: number }[];
    expect(record.traffic_allocation).toBe(20.55);
    const tooMuch = await submitPage(admin, address, { traffic_allocation: '101' });
    expect(tooMuch.status).toBe(422);
  });
});

describe('the example page', () => {
  const [page, other] = ['https://shop.example/cart?a=1#b', 'https://shop.example/'];

  it('is set when the experiment is created, and gives the variations preview links', async () => {
    const form = `${stage.world.project}/experiments/new`;
    const { location = '' } = await submitPage(admin, form, { name: 'Previewed', example_url: page });
    const [path = ''] = location.split('?');
    const made = await recordOf({ path });
    expect(made).toMatchObject({ example_url: page });
    const [{ preview_url: link }] = made.variations as Made[];
    expect(link).toMatch(/^https:\/\/shop\.example\/cart\?a=1&gosset_preview=/);
    const without = await submitPage(admin, form, { name: 'Without', example_url: ' ' });
    expect(await recordOf({ path: without.location?.split('?')[0] ?? '' })).toMatchObject({
      example_url: null,
    });
  });

  it('is changed and removed in the edit form, with the checks of the API next to the field', async () => {
    const experiment = await stage.make.ready({ example_url: page });
    const edit = `${experiment.path}/edit`;
    const document = await documentOf(admin, edit);
    expect(document.querySelector('#example_url')?.getAttribute('value')).toBe(page);
    expect((await submitPage(admin, edit, { example_url: other })).status).toBe(303);
    expect(await recordOf(experiment)).toMatchObject({ example_url: other });
    for (const address of [edit, `${stage.world.project}/experiments/new`]) {
      const { status, text } = await submitPage(admin, address, { example_url: 'shop.example/cart' });
      const error = textOf(parseHTML(text).document.querySelector('#example_url-error'));
      expect([status, error]).toEqual([422, expect.stringMatching(/^“Example page \(URL\)” must be/)]);
    }
    const stale = await submitForm(admin, document.querySelector('main form'), { example_url: page });
    expect([stale.status, textOf(parseHTML(stale.text).document.querySelector('#example_url-now'))]).toEqual([
      412,
      'Someone else has changed this.',
    ]);
    expect((await submitPage(admin, edit, { example_url: '' })).status).toBe(303);
    expect(await recordOf(experiment)).toMatchObject({ example_url: null });
  });

  it('decides whether the notice about a preview mentions links', async () => {
    const noticeFor = async (fields: object): Promise<string> => {
      const { path } = await stage.make.ready(fields);
      const { location = '' } = await submitPage(admin, `${path}/status?to=preview`);
      return textsOf(await documentOf(admin, location), '[role="status"]').join(' ');
    };
    expect(await noticeFor({})).toContain('Set an example page to get preview links.');
    expect(await noticeFor({ example_url: page })).toContain('Its preview links show the variations');
  });
});

describe('texts that name a part of another page', () => {
  const quotedIn = (text: string): string => /“([^”]+)”/.exec(text)?.[1] ?? '';

  it('use the name of the link to the page that plans an experiment', async () => {
    const { path } = await stage.make.experiment();
    const hint = (await documentOf(admin, `${path}/edit`)).querySelector('#planned_participants-hint');
    const project = await documentOf(admin, stage.world.project);
    expect(textsOf(project, '.page-links a')).toContain(quotedIn(textOf(hint)));
  });

  it('use the heading of the next step of a new experiment', async () => {
    const form = `${stage.world.project}/experiments/new`;
    const { location = '' } = await submitPage(admin, form, { name: 'New' });
    const page = await documentOf(admin, location);
    expect(textsOf(page, 'h2')).toContain(quotedIn(textsOf(page, '[role="status"]').join(' ')));
  });
});

describe('the decision form', () => {
  it('adds, changes and removes the decision, even of an archived experiment', async () => {
    const made = await stage.make.withStatus('running');
    const experiment = await stage.make.move(made, 'archive');
    const [, { id }] = experiment.variations as { id: number }[];
    const address = `${experiment.path}/decision`;
    const decide = (outcome: string, variation: string, note = ''): Promise<{ status: number }> =>
      submitPage(admin, address, {
        'decision.outcome': outcome,
        'decision.variation_id': variation,
        'decision.note': note,
      });
    expect((await decide('ship', String(id), 'Sells more.')).status).toBe(303);
    expect((await recordOf(experiment)).decision).toMatchObject({
      outcome: 'ship',
      variation_id: id,
      note: 'Sells more.',
      decided_by: { id: stage.world.people.admin.id },
    });
    const shown = textsOf(await documentOf(admin, experiment.path), '.decision p');
    expect(shown).toEqual([
      'Ship a variation: Variation',
      'Sells more.',
      expect.stringMatching(/^.+, \d+ \w+ \d{4}/),
    ]);
    const page = await documentOf(admin, address);
    expect([...page.querySelectorAll('input[checked]')].map((input) => input.getAttribute('value'))).toEqual([
      'ship',
      String(id),
    ]);
    expect((await decide('inconclusive', '')).status).toBe(303);
    expect((await recordOf(experiment)).decision).toMatchObject({ variation_id: null, note: null });
    expect((await decide('', '')).status).toBe(303);
    expect((await recordOf(experiment)).decision).toBeNull();
  });

  it('names the variation of a decision without calling it the original or the outcome', async () => {
    const experiment = await stage.make.withStatus('running');
    const [original, variation] = experiment.variations as { id: number; name: string }[];
    const shown = async (outcome: string, { id }: { id: number }): Promise<string> => {
      const fields = { 'decision.outcome': outcome, 'decision.variation_id': String(id) };
      expect((await submitPage(admin, `${experiment.path}/decision`, fields)).status).toBe(303);
      return textsOf(await documentOf(admin, experiment.path), '.decision p')[0];
    };
    expect([
      await shown('revert', variation),
      await shown('inconclusive', variation),
      await shown('revert', original),
    ]).toEqual([
      `Keep the original (about ${variation.name})`,
      `Inconclusive (about ${variation.name})`,
      `Keep the original: ${original.name}`,
    ]);
  });

  it('reports a missing value next to its field', async () => {
    const experiment = await stage.make.withStatus('running');
    const fields = { 'decision.outcome': 'ship', 'decision.variation_id': '', 'decision.note': 'Kept' };
    const { status, text } = await submitPage(admin, `${experiment.path}/decision`, fields);
    const { document } = parseHTML(text);
    const [link] = document.querySelectorAll('[role="alert"] a');
    const target = document.getElementById(link.getAttribute('href')?.slice(1) ?? '');
    expect([status, textOf(link), textOf(target)]).toEqual([
      422,
      '“Variation” is required to ship a variation.',
      'Variation',
    ]);
    expect(document.querySelector('textarea')?.textContent).toBe('Kept');
  });

  it('rejects a note without an outcome instead of dropping it', async () => {
    const experiment = await stage.make.withStatus('running');
    const address = `${experiment.path}/decision`;
    const { status, text } = await submitPage(admin, address, { 'decision.note': 'Sells more.' });
    const { document } = parseHTML(text);
    expect([status, textsOf(document, '.error'), document.querySelector('textarea')?.textContent]).toEqual([
      422,
      [expect.stringMatching(/^“Outcome” /)],
      'Sells more.',
    ]);
    const decided = { 'decision.outcome': 'inconclusive', 'decision.note': 'Sells more.' };
    expect((await submitPage(admin, address, decided)).status).toBe(303);
    expect((await submitPage(admin, address, { 'decision.outcome': '' })).status).toBe(303);
    expect((await recordOf(experiment)).decision).toBeNull();
  });
});
