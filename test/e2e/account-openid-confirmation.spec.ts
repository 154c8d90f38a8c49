import { UsersService } from '../../src/users/users.service';
import { type Person, TestApi } from '../support/api';
import { type OpenIdVisitor, signedInAs, useOpenId } from '../support/openid';
import { ageSessions, auditOf, hiddenFields, NEW_TOKEN, TOKENS_PAGE } from '../support/visitor';

/* Confirmations at the OpenID Connect provider that fail. */

const CONFIRMED = `${TOKENS_PAGE}?notice=confirmed`;
const QUERY = `?confirm=yes&next=${encodeURIComponent(CONFIRMED)}`;
const NOTICE = 'You can create tokens for the next 15 minutes.';

const scene = useOpenId();

let person: Person;
let account: string;
let visitor: OpenIdVisitor;

/** Signs in, more than 15 minutes ago. */
async function old(api: TestApi = scene.api): Promise<void> {
  person = await api.person();
  account = await scene.verified(person.email);
  visitor = scene.browser(api);
  await visitor.withAccount(account);
  await ageSessions(api, person.id, 16);
}

const linkIn = (text: string): string | undefined =>
  /href="\/login\/oidc(\?[^"]*)"/.exec(text)?.[1]?.replaceAll('&amp;', '&');

describe('a failed confirmation', () => {
  beforeEach(() => old());

  const cancel = async () => {
    const callback = await scene.provider.answer((await visitor.begin(QUERY)).href, { cancel: 'yes' });
    return visitor.get(`${callback.pathname}${callback.search}`);
  };

  it('shows a page of the signed-in user, whose button asks for the confirmation again', async () => {
    const { status, text, headers } = await cancel();
    expect([status, text]).toEqual([422, expect.stringContaining('the sign-in was cancelled')]);
    expect(headers['referrer-policy']).toBe('strict-origin');
    expect(text).toContain(`<bdi>${person.email}</bdi>`);
    expect(text).not.toContain('name="password"');
    const again = linkIn(text);
    expect(again).toBe(QUERY);
    expect((await visitor.begin(again)).searchParams.get('prompt')).toBe('login');
    expect((await visitor.withAccount(account, again)).location).toBe(CONFIRMED);
    expect((await visitor.get(CONFIRMED)).text).toContain(NOTICE);
    expect((await visitor.submit(TOKENS_PAGE, NEW_TOKEN)).status).toBe(201);
  });

  it('shows a page with which the user can sign out', async () => {
    const { text } = await cancel();
    expect((await visitor.post('/logout', hiddenFields(text))).location).toContain('signed-out');
    expect(await signedInAs(visitor)).toBeNull();
  });

  it('is not reported as a success', async () => {
    await cancel();
    expect((await visitor.get(CONFIRMED)).text).not.toContain(NOTICE);
  });

  it('that took more than 15 minutes asks for the confirmation again as well', async () => {
    const callback = await scene.provider.answer((await visitor.begin(QUERY)).href, { account });
    const later = Date.now() + 16 * 60_000;
    const clock = jest.spyOn(Date, 'now').mockReturnValue(later);
    const { status, text } = await visitor.get(`${callback.pathname}${callback.search}`);
    clock.mockRestore();
    expect([status, text]).toEqual([422, expect.stringContaining('This sign-in has expired')]);
    expect(text).not.toContain('name="password"');
    expect(linkIn(text)).toBe('?confirm=yes');
    await visitor.withAccount(account, linkIn(text));
    expect((await visitor.submit(TOKENS_PAGE, NEW_TOKEN)).status).toBe(201);
  });

  it('that is rate limited asks for the confirmation again as well', async () => {
    const state = (await visitor.begin(QUERY)).searchParams.get('state') ?? '';
    for (let count = 0; count < 20; count += 1) {
      await visitor.get(`/login/oidc/callback?state=${state}&code=b`);
    }
    for (const path of [`/login/oidc${QUERY}`, `/login/oidc/callback?state=${state}&code=b`]) {
      const { status, text } = await visitor.get(path);
      expect([status, linkIn(text)]).toEqual([429, QUERY]);
      expect(text).toContain('Too many attempts');
    }
  });
});

describe('a confirmation by another person', () => {
  beforeEach(() => old());

  it('does not link the account of another user, or end the sessions of that user', async () => {
    const other = await scene.api.person();
    const before = await auditOf(scene.api, other.id);
    const answer = await visitor.withAccount(await scene.verified(other.email), QUERY);
    expect([answer.status, answer.text]).toEqual([403, expect.stringContaining('as a different user')]);
    expect(await auditOf(scene.api, other.id)).toEqual(before);
  });

  it('creates no user', async () => {
    const api = await scene.startWith({ OIDC_AUTO_CREATE: '1:editor' });
    await api.team();
    await old(api);
    const answer = await visitor.withAccount(await scene.verified('phantom@example.com'), QUERY);
    expect([answer.status, answer.text]).toEqual([403, expect.stringContaining('as a different user')]);
    const users = await api.app.get(UsersService, { strict: false }).list();
    expect(users.map(({ email }) => email)).not.toContain('phantom@example.com');
    await api.close();
  });
});

it('a confirmation of a session that has ended has expired, and leads to a new sign-in', async () => {
  await old();
  const asked = await visitor.begin(QUERY);
  await visitor.submit(TOKENS_PAGE, {}, '/logout');
  const { status, text } = await visitor.comeBack(asked, account);
  expect([status, text]).toEqual([422, expect.stringContaining('This sign-in has expired')]);
  expect(text).toContain('name="password"');
  expect(linkIn(text)).toBe(`?next=${encodeURIComponent(CONFIRMED)}`);
});
