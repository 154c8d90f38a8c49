import { TokensService } from '../../src/users/tokens/tokens.service';
import { Person, TestApi } from '../support/api';
import {
  ageSessions,
  hiddenFields,
  NEW_TOKEN,
  PASSWORD,
  signedIn,
  TOKENS_PAGE,
  Visitor,
} from '../support/visitor';

/* Creating API tokens: the limits in the form, and the password confirmation. */

const ASKED = 'Confirm your password';

let api: TestApi;
let visitor: Visitor;
let person: Person;
let projectId: number;
beforeAll(async () => {
  api = await TestApi.start({ TRUST_PROXY: '127.0.0.1' });
});
afterAll(() => api.close());
beforeEach(async () => {
  ({ visitor, person } = await signedIn(api));
  const teamId = await api.team('Growth');
  await api.join(teamId, person, 'editor');
  projectId = await api.project(teamId, 'Shop <b>');
});

const ageBy = (minutes: number): Promise<unknown> => ageSessions(api, person.id, minutes);

const newest = async () => (await api.app.get(TokensService, { strict: false }).list(person.id)).at(-1);

describe('the token form', () => {
  it('limits a token to projects and days', async () => {
    const fields = { ...NEW_TOKEN, expires: '90', access: 'some', [`project_${projectId}`]: 'yes' };
    const before = Date.now();
    expect((await visitor.submit(TOKENS_PAGE, fields)).status).toBe(201);
    const token = (await newest())!;
    expect(token.projects).toEqual([{ id: projectId, name: 'Shop <b>' }]);
    const days = (Date.parse(token.expires_at!) - before) / 86_400_000;
    expect(days).toBeCloseTo(90, 2);
    const { text } = await visitor.get(TOKENS_PAGE);
    expect(text).toContain('Shop &lt;b>');
  });

  it('by default creates a token for all projects without expiry', async () => {
    expect((await visitor.submit(TOKENS_PAGE, NEW_TOKEN)).status).toBe(201);
    expect(await newest()).toMatchObject({ name: 'Script', expires_at: null, projects: null });
  });

  it.each([
    [{ expires: '31' }, 'Choose when the token expires.'],
    [{ expires: 'constructor' }, 'Choose when the token expires.'],
    [{ access: 'none' }, 'Choose what the token may access.'],
    [{ access: 'some' }, 'Select at least one project.'],
    [{ access: 'some', project_999999: 'yes' }, 'Select at least one project.'],
  ])('rejects %j', async (fields, message) => {
    const { status, text } = await visitor.submit(TOKENS_PAGE, { ...NEW_TOKEN, ...fields });
    expect([status, text]).toEqual([422, expect.stringContaining(message)]);
    expect((await newest())?.name).toBe('Test');
  });

  it('rejects selected projects if access is not limited to projects, and keeps the input', async () => {
    const fields = { ...NEW_TOKEN, access: 'all', expires: '30', [`project_${projectId}`]: 'yes' };
    const { status, text } = await visitor.submit(TOKENS_PAGE, fields);
    expect([status, text]).toEqual([422, expect.stringContaining('You have selected projects.')]);
    expect(text).toMatch(new RegExp(`name="project_${projectId}" value="yes" checked`));
    expect(text).toMatch(/name="expires" value="30" checked/);
  });

  it('does not offer projects of other teams', async () => {
    const foreign = await api.project(await api.team('Others'), 'Secret plans');
    expect((await visitor.get(TOKENS_PAGE)).text).not.toContain('Secret plans');
    const fields = { ...NEW_TOKEN, access: 'some', [`project_${foreign}`]: 'yes' };
    expect((await visitor.submit(TOKENS_PAGE, fields)).status).toBe(422);
  });
});

describe('a sign-in', () => {
  it('within the last 15 minutes allows creating a token immediately', async () => {
    await ageBy(14);
    expect((await visitor.submit(TOKENS_PAGE, NEW_TOKEN)).status).toBe(201);
  });

  it('that is older requires the password, and then creates the requested token', async () => {
    await ageBy(16);
    const fields = { ...NEW_TOKEN, expires: '365', access: 'some', [`project_${projectId}`]: 'yes' };
    const asked = await visitor.submit(TOKENS_PAGE, fields);
    expect([asked.status, asked.text.includes(ASKED)]).toEqual([200, true]);
    expect((await newest())?.name).toBe('Test');
    const made = await visitor.post(TOKENS_PAGE, { ...hiddenFields(asked.text), confirm_password: PASSWORD });
    expect([made.status, made.text]).toEqual([201, expect.stringContaining('shown only once')]);
    expect(made.text).not.toContain(PASSWORD);
    expect(await newest()).toMatchObject({ name: 'Script', abilities: ['read', 'write'] });
    expect((await newest())?.projects).toEqual([{ id: projectId, name: 'Shop <b>' }]);
    expect((await visitor.submit(TOKENS_PAGE, { ...NEW_TOKEN, name: 'Second' })).status).toBe(201);
    await ageBy(16);
    expect((await visitor.submit(TOKENS_PAGE, { ...NEW_TOKEN, name: 'Third' })).status).toBe(200);
  });

  it.each([
    ['a wrong password', 'not the password', 'The password is wrong.'],
    ['no password', '', 'Enter your password.'],
  ])('that is older is not confirmed by %s', async (_, password, message) => {
    await ageBy(16);
    const asked = await visitor.submit(TOKENS_PAGE, NEW_TOKEN);
    const again = await visitor.post(TOKENS_PAGE, {
      ...hiddenFields(asked.text),
      confirm_password: password,
    });
    expect([again.status, again.text]).toEqual([422, expect.stringContaining(message)]);
    expect((await newest())?.name).toBe('Test');
    const made = await visitor.post(TOKENS_PAGE, { ...hiddenFields(again.text), confirm_password: PASSWORD });
    expect(made.status).toBe(201);
  });

  it('that is older allows five wrong passwords per minute', async () => {
    await ageBy(16);
    const { text } = await visitor.submit(TOKENS_PAGE, NEW_TOKEN);
    const guess = (password: string) =>
      visitor.post(TOKENS_PAGE, { ...hiddenFields(text), confirm_password: password });
    for (let index = 0; index < 5; index += 1) {
      expect((await guess(`guess ${index}`)).status).toBe(422);
    }
    const refused = await guess(PASSWORD);
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, expect.stringMatching(/^\d+$/)]);
    expect(refused.text).toContain('Too many attempts.');
    expect((await newest())?.name).toBe('Test');
  });

  it('that is older is confirmed in one session only', async () => {
    await ageBy(16);
    const asked = await visitor.submit(TOKENS_PAGE, NEW_TOKEN);
    const { visitor: elsewhere } = await signedIn(api, person);
    await ageBy(16);
    await visitor.post(TOKENS_PAGE, { ...hiddenFields(asked.text), confirm_password: PASSWORD });
    const other = await elsewhere.submit(TOKENS_PAGE, { ...NEW_TOKEN, name: 'Elsewhere' });
    expect([other.status, other.text.includes(ASKED)]).toEqual([200, true]);
  });

  it('that is older requires the password only when the form has no errors', async () => {
    await ageBy(16);
    const { status, text } = await visitor.submit(TOKENS_PAGE, { ...NEW_TOKEN, name: ' ' });
    expect([status, text.includes(ASKED)]).toEqual([422, false]);
  });
});
