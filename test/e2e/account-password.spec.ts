import { UsersService } from '../../src/users/users.service';
import { Person, TestApi } from '../support/api';
import { auditOf, PASSWORD, signedIn, Visitor } from '../support/visitor';

/* Users change their own password. */

const PAGE = '/settings/password';
const NEW = 'another good password';
const BLANK = 'The password consists only of spaces. Add letters, digits or other characters.';

let api: TestApi;
let visitor: Visitor;
let person: Person;
beforeAll(async () => {
  api = await TestApi.start({ TRUST_PROXY: '127.0.0.1' });
});
afterAll(() => api.close());
beforeEach(async () => {
  ({ visitor, person } = await signedIn(api));
});

const change = (fields: Record<string, string>) =>
  visitor.submit(PAGE, { current: PASSWORD, password: NEW, repeated: NEW, ...fields });
const isIn = async (browser: Visitor): Promise<boolean> => (await browser.get(PAGE)).status === 200;

describe('changing a password', () => {
  it('ends all other sessions, keeps the current one, and tells the user', async () => {
    const { visitor: elsewhere } = await signedIn(api, person);
    const { visitor: bystander } = await signedIn(api);
    const { status, location } = await change({});
    expect([status, location]).toEqual([303, `${PAGE}?notice=changed`]);
    const { text } = await visitor.get(location!);
    expect(text).toContain('You were signed out of all other sessions.');
    expect([await isIn(visitor), await isIn(elsewhere), await isIn(bystander)]).toEqual([true, false, true]);
  });

  it('enables the new password, and disables the old one', async () => {
    await change({});
    expect((await new Visitor(api).signIn(person)).status).toBe(422);
    expect((await new Visitor(api).signIn(person, NEW)).status).toBe(303);
    expect((await person.client.get('/teams')).status).toBe(200);
  });

  it('loses against an administrator who sets a password in the meantime', async () => {
    const users = api.app.get(UsersService, { strict: false });
    const replace = users.replacePassword.bind(users);
    jest.spyOn(users, 'replacePassword').mockImplementationOnce(async (...args) => {
      await users.setPassword(person.id, 'set by the administrator', 'admin');
      return replace(...args);
    });
    const { status, text } = await change({});
    expect([status, text.includes('The current password is wrong.')]).toEqual([422, true]);
    expect((await new Visitor(api).signIn(person, NEW)).status).toBe(422);
    expect((await new Visitor(api).signIn(person, 'set by the administrator')).status).toBe(303);
  });

  it('preserves spaces inside and around the password', async () => {
    const spaced = '  two words  ';
    expect((await change({ password: spaced, repeated: spaced })).status).toBe(303);
    expect((await new Visitor(api).signIn(person, spaced.trim())).status).toBe(422);
    expect((await new Visitor(api).signIn(person, spaced)).status).toBe(303);
  });

  it('accepts up to 1,024 characters, even if they have more bytes', async () => {
    const long = '😀'.repeat(1024);
    expect((await change({ password: long, repeated: long })).status).toBe(303);
    expect((await new Visitor(api).signIn(person, long)).status).toBe(303);
  });

  it.each([
    [{ current: 'a wrong password' }, 'current', 'The current password is wrong.'],
    [{ current: '' }, 'current', 'Enter your current password.'],
    [
      { password: 'too short', repeated: 'too short' },
      'password',
      'The password must have 10 to 1024 characters, not 9.',
    ],
    [
      { password: 'x'.repeat(1025), repeated: 'x'.repeat(1025) },
      'password',
      'The password must have 10 to 1024 characters, not 1025.',
    ],
    [
      { password: 'two\nlines of it', repeated: 'two\nlines of it' },
      'password',
      'The password must be a single line.',
    ],
    [{ password: ' '.repeat(10), repeated: ' '.repeat(10) }, 'password', BLANK],
    [{ password: '\u00a0\u3000\t'.repeat(4), repeated: '\u00a0\u3000\t'.repeat(4) }, 'password', BLANK],
    [
      { password: PASSWORD, repeated: PASSWORD },
      'password',
      'The new password is the same as the current one.',
    ],
    [{ repeated: 'another good passwort' }, 'repeated', 'The new passwords do not match.'],
  ])('is rejected with a message at the field: %j', async (fields, field, message) => {
    const { visitor: elsewhere } = await signedIn(api, person);
    const { status, text } = await change(fields);
    expect([status, /<title>([^<]*)/.exec(text)?.[1]]).toEqual([422, 'Error: Password – Gosset']);
    expect(text).toContain(`id="${field}-error">${message}<`);
    expect(text).toMatch(
      new RegExp(`name="${field}"[^>]*aria-invalid="true"[^>]*aria-describedby="${field}-error`),
    );
    expect(text.match(/type="password" value(?:=""| )/g)).toHaveLength(3);
    expect([await isIn(visitor), await isIn(elsewhere)]).toEqual([true, true]);
    expect((await new Visitor(api).signIn(person)).status).toBe(303);
  });

  it('is recorded in the audit log, without any password', async () => {
    await change({ current: 'a wrong password' });
    await change({});
    const entries = await auditOf(api, person.id);
    expect(entries.filter(({ source, action }) => source === 'page' && action === 'set-password')).toEqual([
      expect.objectContaining({ user: person.id }),
    ]);
    expect(JSON.stringify(entries)).not.toMatch(/another good|wrong password|argon2/);
  });
});
