import { parseHTML } from 'linkedom';
import { documentOf, submitPage, textOf, textsOf, useConsole } from '../support/console';
import type { Made } from '../support/scene';
import { hiddenFields, nextAddress, signedIn, Visitor } from '../support/visitor';

/* How console forms handle responses of the API. */

const stage = useConsole();
let admin: Visitor;
beforeAll(async () => {
  admin = await stage.admin();
});

const fieldsOf = async (visitor: Visitor, address: string): Promise<Record<string, string>> =>
  hiddenFields((await visitor.get(address)).text);

const experimentsNamed = async (name: string): Promise<Made[]> =>
  (await stage.client.get(`${stage.make.project}/experiments`)).body.filter((each: Made) =>
    each.name.startsWith(name),
  );

const clonePath = ({ path }: { path: string }): string => `${path}/clone`;

describe('a submitted form', () => {
  it('makes the change, and redirects to a page that confirms it', async () => {
    const experiment = await stage.make.ready({ name: 'Original' });
    const { status, location } = await admin.submit(clonePath(experiment), { name: 'The copy' });
    const [copy] = await experimentsNamed('The copy');
    expect([status, location]).toEqual([303, `${stage.make.project}/experiments/${copy.id}?notice=cloned`]);
    expect(copy.status).toBe('draft');
    const page = await documentOf(admin, location!);
    expect(textOf(page.querySelector('[role="status"].message'))).toContain('This is the clone.');
  });

  it('lists the dates that a clone does not copy, if there are any', async () => {
    const experiment = await stage.make.ready({ planned_end: '2099-06-30', ends_at: '2099-07-01T00:00:00Z' });
    const textOn = async (of: Made) =>
      textOf((await documentOf(admin, clonePath(of))).querySelector('main form'));
    expect(await textOn(experiment)).toContain(
      'Cloning does not copy the planned end (30 June 2099) or the schedule. Set new dates if the clone needs them.',
    );
    await stage.client.patch(experiment.path, { ends_at: null });
    expect(await textOn(experiment)).toContain('Cloning does not copy the planned end (30 June 2099). Set');
    expect(await textOn(await stage.make.ready())).not.toContain('Cloning does not copy');
  });

  it('shows the name that a clone gets if none is entered', async () => {
    const experiment = await stage.make.ready({ name: 'Unnamed' });
    expect((await admin.get(clonePath(experiment))).text).toContain('the same name followed by “(Copy)”');
    await admin.submit(clonePath(experiment), { name: '' });
    expect(await experimentsNamed('Unnamed (Copy)')).toHaveLength(1);
  });

  it('can contain the longest texts of a record, in any script', async () => {
    const texts = { description: '日'.repeat(10_000), hypothesis: '𝒜'.repeat(10_000) };
    const experiment = await stage.make.ready(texts);
    const address = `${experiment.path}/edit`;
    const { status } = await submitPage(admin, address, { traffic_allocation: '50' });
    expect(status).toBe(303);
    const { body } = await stage.client.get(experiment.path);
    expect(body).toMatchObject({ ...texts, traffic_allocation: 50 });
  });

  it('takes effect once if it is submitted twice, sequentially or concurrently', async () => {
    const experiment = await stage.make.ready();
    const fields = { ...(await fieldsOf(admin, clonePath(experiment))), name: 'Twice' };
    const first = await admin.post(clonePath(experiment), fields);
    const second = await admin.post(clonePath(experiment), fields);
    expect([first.status, second.status, second.location]).toEqual([303, 303, first.location]);
    const again = { ...(await fieldsOf(admin, clonePath(experiment))), name: 'At once' };
    const answers = await Promise.all([1, 2, 3].map(() => admin.post(clonePath(experiment), again)));
    expect(answers.map(({ status }) => status).filter((status) => status !== 409)).toContain(303);
    expect(await experimentsNamed('Twice')).toHaveLength(1);
    expect(await experimentsNamed('At once')).toHaveLength(1);
  });

  it('takes effect again if it is submitted with other input after going back', async () => {
    const experiment = await stage.make.ready();
    const fields = await fieldsOf(admin, clonePath(experiment));
    await admin.post(clonePath(experiment), { ...fields, name: 'Back 1' });
    await admin.post(clonePath(experiment), { ...fields, name: 'Back 2' });
    expect(await experimentsNamed('Back')).toHaveLength(2);
  });

  it('shows invalid input again, with messages at the fields', async () => {
    const experiment = await stage.make.ready();
    const name = '"<b>' + 'x'.repeat(300);
    const { status, text } = await admin.submit(clonePath(experiment), { name });
    const { document } = parseHTML(text);
    const input = document.querySelector('input[name="name"]');
    expect([status, input?.getAttribute('value'), input?.getAttribute('aria-invalid')]).toEqual([
      422,
      name,
      'true',
    ]);
    expect(document.title).toMatch(/^Error: /);
    const message = textOf(document.querySelector('#name-error'));
    expect(message).toContain('255');
    expect(input?.getAttribute('aria-describedby')).toContain('name-error');
    expect(textsOf(document, '[role="alert"] a')).toEqual([message]);
    expect(document.querySelector('[role="alert"] a')?.getAttribute('href')).toBe('#name');
  });

  it('is in the audit log as a change that its user made on a page', async () => {
    const { visitor, person } = await signedIn(stage.api);
    await stage.api.join(stage.world.teamId, person, 'editor');
    const experiment = await stage.make.ready();
    await visitor.submit(clonePath(experiment), { name: 'Audited' });
    const rows: object[] = await stage.api.database.read.query(
      "SELECT source, action, user_id, token_id FROM audit_entries WHERE user_id = ? AND action = 'clone'",
      [person.id],
    );
    expect(rows).toEqual([{ source: 'page', action: 'clone', user_id: person.id, token_id: null }]);
  });
});

describe('a form whose record has changed in the meantime', () => {
  it('is rejected once, keeps the input, and contains the new ETag', async () => {
    const experiment = await stage.make.ready();
    const address = `${experiment.path}/status?to=preview`;
    const fields = await fieldsOf(admin, address);
    await stage.client.patch(experiment.path, { description: 'Changed meanwhile' });
    const refused = await admin.post(`${experiment.path}/status`, fields);
    expect(refused.status).toBe(412);
    const { document } = parseHTML(refused.text);
    expect(textOf(document.querySelector('[role="alert"]'))).toContain('Someone else changed this');
    expect((await stage.client.get(experiment.path)).body.status).toBe('draft');
    const fresh = hiddenFields(refused.text);
    expect(fresh.if_match).not.toBe(fields.if_match);
    expect((await admin.post(`${experiment.path}/status`, fresh)).status).toBe(303);
    expect((await stage.client.get(experiment.path)).body.status).toBe('preview');
  });

  it('is accepted from only one of two concurrent users', async () => {
    const experiment = await stage.make.ready();
    const { visitor, person } = await signedIn(stage.api);
    await stage.api.join(stage.world.teamId, person, 'publisher');
    const address = `${experiment.path}/status?to=preview`;
    const forms = [
      [admin, await fieldsOf(admin, address)],
      [visitor, await fieldsOf(visitor, address)],
    ] as const;
    const statuses = await Promise.all(
      forms.map(async ([each, fields]) => (await each.post(`${experiment.path}/status`, fields)).status),
    );
    expect(statuses.sort()).toEqual([303, 412]);
  });
});

it('a rate-limited user sees how long to wait, and keeps the input', async () => {
  const { visitor, person } = await signedIn(stage.api);
  await stage.api.join(stage.world.teamId, person, 'editor');
  await stage.api.database.transaction((tx) =>
    tx.query('UPDATE users SET rate_limit = 1 WHERE id = ?', [person.id]),
  );
  const experiment = await stage.make.ready();
  const first = await visitor.submit(clonePath(experiment), { name: 'Limited' });
  expect(first.status).toBe(303);
  const { form_key, ...hidden } = await fieldsOf(visitor, clonePath(experiment));
  const fields = { ...hidden, form_key, name: 'Limited too' };
  const { status, text, headers } = await visitor.post(clonePath(experiment), fields);
  expect([status, Number(headers['retry-after'])]).toEqual([429, expect.any(Number)]);
  const { document } = parseHTML(text);
  expect(textOf(document.querySelector('[role="alert"]'))).toMatch(
    /too many requests.* Try again in \d+ seconds?\./,
  );
  expect(document.querySelector('input[name="name"]')?.getAttribute('value')).toBe('Limited too');
  expect(hiddenFields(text).form_key).toBe(form_key);
});

describe('the API', () => {
  it('accepts no session cookie over the network, even while pages call the API internally', async () => {
    const experiment = await stage.make.ready({ name: 'Safe' });
    const session = [...admin.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const address = `${stage.api.config.publicUrl}/api${experiment.path}`;
    const forms = Array.from({ length: 10 }, async () =>
      admin.submit(clonePath(experiment), { name: 'Busy' }),
    );
    const calls = Array.from({ length: 30 }, async () => {
      const body = JSON.stringify({ name: 'Stolen' });
      const headers = {
        cookie: session,
        'content-type': 'application/json',
        'x-forwarded-for': nextAddress(),
      };
      return (await fetch(address, { method: 'PATCH', headers, body })).status;
    });
    expect(new Set(await Promise.all(calls))).toEqual(new Set([401]));
    expect(new Set((await Promise.all(forms)).map(({ status }) => status))).toEqual(new Set([303]));
    expect((await stage.client.get(experiment.path)).body.name).toBe('Safe');
  });
});

it('messages name the invalid lines, in the order of the fields', async () => {
  const { path } = await stage.make.experiment();
  const long = 'x'.repeat(51);
  const { text } = await submitPage(await stage.admin(), `${path}/edit`, {
    tags: `shop\n${long}`,
    traffic_allocation: 'all',
    hypothesis: 'y'.repeat(70_000),
  });
  const { document } = parseHTML(text);
  const summary = textsOf(document, '[role="alert"] li');
  const tag = `“${'x'.repeat(40)}…” in “Tags”: the tag may not be longer than 50 characters.`;
  expect(summary.slice(0, 2)).toEqual([
    '“Traffic (% of eligible visitors)” must be a number between 0 and 100.',
    tag,
  ]);
  expect(summary[2]).toMatch(/^“Hypothesis” /);
  expect(textOf(document.querySelector('#tags-error'))).toBe(tag);
});

it('the messages of a plan are in the order of its fields', async () => {
  const query = 'baseline_rate=x&minimum_effect=x&variations=x&method=sequential';
  const { text } = await (await stage.admin()).get(`${stage.make.project}/plan?${query}`);
  const { document } = parseHTML(text);
  const links = [...document.querySelectorAll('[role="alert"] a')].map((link) => link.getAttribute('href'));
  expect(links).toEqual(['#baseline_rate', '#minimum_effect', '#variations']);
});
