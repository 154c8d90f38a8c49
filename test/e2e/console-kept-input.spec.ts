import { parseHTML } from 'linkedom';
import { ExperimentSubjects } from '../../src/console/experiment-subject';
import { ApiCalls } from '../../src/console/forms/api-calls';
import { Sessions } from '../../src/users/sessions';
import { TokensService } from '../../src/users/tokens/tokens.service';
import { textOf, textsOf, useConsole } from '../support/console';
import type { Made } from '../support/scene';
import { hiddenFields, nextAddress, type PageAnswer, signedIn, signer, Visitor } from '../support/visitor';

/* Console forms keep their input if they are submitted after the session has ended, or while the server is busy. */

const stage = useConsole();
let experiment: Made;
let path: string;
beforeAll(async () => {
  experiment = await stage.make.ready({ name: 'Button' });
  path = `${experiment.path}/edit`;
});

const TYPED = {
  name: 'Buttön "big" <b>&amp;',
  description: 'First line\nSecond line\n',
  traffic_allocation: '150',
};

const headingOf = ({ text }: PageAnswer): string => textOf(parseHTML(text).document.querySelector('h1'));

const labelsOf = ({ text }: PageAnswer): string[] => textsOf(parseHTML(text).document, 'details label');

/** The form with the kept input, as a browser submits it. */
const keptIn = (answer: PageAnswer): Record<string, string> => {
  const form = parseHTML(answer.text).document.querySelector('main form');
  return Object.fromEntries(
    [...(form?.querySelectorAll('input') ?? [])].map((input) => [
      input.getAttribute('name') ?? '',
      input.getAttribute('value') ?? '',
    ]),
  );
};

/** Fills in the experiment form, and submits it after the session has ended. */
async function sentTooLate(): Promise<{ visitor: Visitor; answer: PageAnswer; fields: object }> {
  const visitor = await stage.admin();
  const fields = { ...hiddenFields((await visitor.get(path)).text), ...TYPED };
  visitor.cookies.delete('gosset');
  return { visitor, fields, answer: await visitor.post(path, fields) };
}

describe('after a new sign-in in another tab', () => {
  it('the form can be submitted again, and its input is validated as usual', async () => {
    const { visitor, answer } = await sentTooLate();
    expect([answer.status, headingOf(answer), answer.headers['cache-control']]).toEqual([
      403,
      'Your session has ended',
      expect.stringContaining('no-store'),
    ]);
    expect(answer.text).toContain('href="/login" target="_blank" rel="noopener"');
    expect(keptIn(answer)).toMatchObject(TYPED);
    expect(keptIn(answer)).not.toHaveProperty('form_token');
    expect(labelsOf(answer)).toEqual(['Name', 'Description', 'Traffic allocation']);

    const still = await visitor.post(path, keptIn(answer));
    expect([headingOf(still), keptIn(still)]).toEqual([headingOf(answer), keptIn(answer)]);

    const { admin } = stage.world.people;
    await visitor.signIn(admin);
    const asked = await visitor.post(path, keptIn(answer));
    expect([asked.status, headingOf(asked)]).toEqual([403, 'This form has expired']);
    expect(textOf(parseHTML(asked.text).document.querySelector('main bdi'))).toBe(admin.email);
    expect(asked.text).toContain('readonly>Buttön &quot;big&quot; &lt;b>&amp;amp;</textarea>');

    const refused = await visitor.post(path, keptIn(asked));
    expect([refused.status, refused.text.includes('value="150"')]).toEqual([422, true]);
    expect((await stage.client.get(experiment.path)).body.name).toBe('Button');
    const stored = await visitor.post(path, { ...keptIn(asked), traffic_allocation: '50' });
    expect(stored.status).toBe(303);
    expect((await stage.client.get(experiment.path)).body).toMatchObject({
      name: TYPED.name,
      traffic_allocation: 50,
    });
  });

  it('a form in an old tab can be submitted again, but is never submitted automatically', async () => {
    const visitor = await stage.admin();
    const fields = { ...hiddenFields((await visitor.get(path)).text), description: 'Of the old tab' };
    await visitor.submit('/', {}, '/logout');
    await visitor.signIn(stage.world.people.admin);
    const asked = await visitor.post(path, fields);
    expect([asked.status, headingOf(asked)]).toEqual([403, 'This form has expired']);
    expect((await stage.client.get(experiment.path)).body.description).not.toBe('Of the old tab');
    expect((await visitor.post(path, { ...fields, ...keptIn(asked) })).status).toBe(303);
    expect((await stage.client.get(experiment.path)).body.description).toBe('Of the old tab');
  });

  it('another user gets no additional rights', async () => {
    const { answer } = await sentTooLate();
    const { visitor: stranger } = await signedIn(stage.api);
    const asked = await stranger.post(path, keptIn(answer));
    expect(headingOf(asked)).toBe('This form has expired');
    expect((await stranger.post(path, keptIn(asked))).status).toBe(404);
    await stage.visitorOf(stage.world.people.admin).then((admin) => admin.signIn(stage.world.people.admin));
  });
});

it('only fields that users fill in are listed', async () => {
  const visitor = await stage.admin();
  const decision = { outcome: 'ship', variation_id: experiment.variations[1].id, note: 'Clear' };
  await stage.client.patch(experiment.path, { decision });
  const form = `${experiment.path}/decision`;
  const fields = { ...hiddenFields((await visitor.get(form)).text), 'decision.note': 'Very clear' };
  visitor.cookies.delete('gosset');
  expect(labelsOf(await visitor.post(form, fields))).toEqual(['Decision note']);
  await visitor.signIn(stage.world.people.admin);
  const attachments = `${experiment.path}/attachments`;
  const opened = hiddenFields((await visitor.get(attachments)).text);
  visitor.cookies.delete('gosset');
  const kept = await visitor.post(attachments, { ...opened, audiences_match_type: 'all' });
  expect(labelsOf(kept)).toEqual(['Audiences match type']);
  expect(keptIn(kept).opening_primary_goal).toBe(String((experiment.goals as Made[])[0].id));
  await visitor.signIn(stage.world.people.admin);
});

it('input that removes a decision is kept', async () => {
  const visitor = await stage.admin();
  const form = `${experiment.path}/decision`;
  const fields = hiddenFields((await visitor.get(form)).text);
  visitor.cookies.delete('gosset');
  const kept = await visitor.post(form, fields);
  expect([kept.status, labelsOf(kept)]).toEqual([403, []]);
  expect(kept.text).toContain('Your session has ended');
  await visitor.signIn(stage.world.people.admin);
});

it('the form for an API token can be submitted again', async () => {
  const visitor = await stage.admin();
  const tokens = '/settings/api-tokens';
  const typed = { name: 'Nightly export', permission: 'read', expires: '90', access: 'all' };
  const fields = { ...hiddenFields((await visitor.get(tokens)).text), ...typed };
  visitor.cookies.delete('gosset');
  const answer = await visitor.post(tokens, fields);
  expect([answer.status, headingOf(answer)]).toEqual([403, 'Your session has ended']);
  expect(labelsOf(answer)).toEqual(['Name', 'Permission', 'Expires', 'Access']);

  await visitor.signIn(stage.world.people.admin);
  const asked = await visitor.post(tokens, keptIn(answer));
  expect([asked.status, headingOf(asked)]).toEqual([403, 'This form has expired']);
  const sent = await visitor.post(tokens, keptIn(asked));
  expect(sent.status).toBe(201);
  expect(sent.text).toContain('Nightly export');
});

describe('while the database cannot be reached', () => {
  afterEach(() => jest.restoreAllMocks());

  const part = <T>(type: new (...values: never[]) => T): T => stage.api.app.get(type, { strict: false });
  const unreachable = (): Error => Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
  const loseSession = () => jest.spyOn(part(Sessions), 'find').mockRejectedValueOnce(unreachable());

  it('a form can be submitted again, and nothing was changed', async () => {
    const visitor = await stage.admin();
    const typed = { ...TYPED, traffic_allocation: '75' };
    const fields = { ...hiddenFields((await visitor.get(path)).text), ...typed };
    loseSession();
    const answer = await visitor.post(path, fields);
    expect([answer.status, headingOf(answer), answer.headers['retry-after']]).toEqual([
      503,
      'The server is busy',
      '2',
    ]);
    expect(answer.text).toContain('Nothing was changed.');
    expect(labelsOf(answer)).toEqual(['Name', 'Description', 'Traffic allocation']);
    expect(keptIn(answer)).toMatchObject(typed);
    expect((await stage.client.get(experiment.path)).body.traffic_allocation).not.toBe(75);
    expect((await visitor.post(path, keptIn(answer))).status).toBe(303);
    expect((await stage.client.get(experiment.path)).body.traffic_allocation).toBe(75);
  });

  it('a form whose handler failed may have been saved', async () => {
    const visitor = await stage.admin();
    const tokens = '/settings/api-tokens';
    const typed = { name: 'Weekly export', permission: 'read', expires: '90', access: 'all' };
    const fields = { ...hiddenFields((await visitor.get(tokens)).text), ...typed };
    jest.spyOn(part(TokensService), 'issue').mockRejectedValueOnce(unreachable());
    const answer = await visitor.post(tokens, fields);
    expect([answer.status, headingOf(answer)]).toEqual([503, 'The server is busy']);
    expect(answer.text).toContain('It may not have saved your input.');
    expect(answer.text).not.toContain('Nothing was changed.');
    expect((await visitor.post(tokens, keptIn(answer))).status).toBe(201);
  });

  it('a form is shown again if only the API call failed', async () => {
    const visitor = await stage.admin();
    const fields = { ...hiddenFields((await visitor.get(path)).text), ...TYPED };
    jest.spyOn(part(ApiCalls), 'send').mockImplementationOnce(() => {
      jest.spyOn(part(ExperimentSubjects), 'read').mockRejectedValueOnce(unreachable());
      return Promise.resolve({ status: 503, headers: { 'retry-after': '2' }, body: {} });
    });
    const answer = await visitor.post(path, fields);
    expect([answer.status, answer.headers['retry-after']]).toEqual([503, '2']);
    expect(answer.text).toContain('Your input may not have been saved. Try again in 2 seconds.');
    expect(answer.text).toContain('value="150"');
  });

  it('the input of other forms, and from other sites, is not kept', async () => {
    const visitor = await stage.admin();
    const secret = 'a secret of mine';
    for (const [form, fields, headers] of [
      ['/settings/password', { current: secret, password: secret }, {}],
      [path, TYPED, { origin: 'https://evil.example' }],
    ] as const) {
      loseSession();
      const answer = await visitor.post(form, fields, headers);
      expect([answer.status, headingOf(answer), keptIn(answer)]).toEqual([503, 'The server is busy', {}]);
      expect(answer.text).toContain('Reload this page in a moment to send the form again.');
      expect(answer.text).not.toMatch(/a secret of mine|Nothing was changed/);
    }
  });

  it('passwords are not kept', async () => {
    const visitor = await stage.admin();
    loseSession();
    const answer = await visitor.post(`/teams/${stage.world.teamId}/members/add/`, {
      email: 'new@example.com',
      confirm_password: 'a secret of mine',
    });
    expect([answer.status, keptIn(answer).email]).toEqual([503, 'new@example.com']);
    expect(answer.text).not.toContain('a secret of mine');
  });
});

it('input from forms of other sites is not kept', async () => {
  const nobody = new Visitor(stage.api, { 'x-forwarded-for': nextAddress() });
  const cross = await nobody.post(path, TYPED, { origin: 'https://evil.example' });
  expect([cross.status, cross.location]).toEqual([303, `/login?next=${encodeURIComponent(path)}`]);
  const admin = await stage.admin();
  const answer = await admin.post(path, TYPED, { 'sec-fetch-site': 'same-site' });
  expect([answer.status, keptIn(answer)]).toEqual([403, {}]);
});

it('passwords are never kept', async () => {
  const nobody = new Visitor(stage.api, { 'x-forwarded-for': nextAddress() });
  const person = await signer(stage.api);
  const { visitor } = await signedIn(stage.api, person);
  for (const browser of [nobody, visitor]) {
    const members = `/teams/${stage.world.teamId}/members/add/`;
    const fields = { email: 'new@example.com', confirm_password: 'a secret of mine' };
    for (const [form, sent] of [
      [members, fields],
      ['/settings/password', { current: 'a secret of mine', password: 'a secret of mine' }],
    ] as const) {
      expect((await browser.post(form, sent)).text).not.toContain('a secret of mine');
    }
  }
});
