import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import type { Person } from '../support/api';
import { describeInBrowser, overflow, SIZES, Visit } from '../support/browser';
import { useBrowser } from '../support/browser-scene';
import { auditOf, PASSWORD, signer } from '../support/visitor';

/* Sign-in, API tokens and password changes in a real browser. */

const HOME = '/settings/api-tokens';
const HOSTILE = '</title><script>alert(1)</script>شراء الآن';

describeInBrowser('an account page', () => {
  const scene = useBrowser();
  let person: Person;
  let origin: string;

  beforeEach(async () => {
    ({ origin } = scene);
    person = await signer(scene.api);
  });

  async function fillIn(page: Page, password = PASSWORD): Promise<void> {
    await page.getByLabel('E-mail address').fill(person.email);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
  }

  /** Signs a user in on a new page. */
  async function signIn(options: BrowserContextOptions = {}): Promise<Visit> {
    const opened = await scene.visit(HOME, options);
    await fillIn(opened.page);
    await opened.page.waitForURL(`${origin}${HOME}`);
    return opened;
  }

  async function create(page: Page, name: string, permission = 'Read only'): Promise<string> {
    await page.getByLabel('Name').fill(name);
    await page.getByLabel(permission).check();
    await page.getByRole('button', { name: 'Create token' }).click();
    return page.getByLabel('API token').inputValue();
  }

  const works = async (token: string): Promise<boolean> =>
    (await fetch(`${origin}/api/teams`, { headers: { authorization: `Bearer ${token}` } })).status === 200;

  /** Every page in each of its states. */
  const states: Record<string, (page: Page) => Promise<void>> = {
    'sign-in': (page) => page.getByRole('button', { name: 'Sign out' }).click(),
    'rejected sign-in': async (page) => {
      await page.getByRole('button', { name: 'Sign out' }).click();
      await fillIn(page, 'a wrong password');
    },
    'no tokens': async (page) => {
      await page.getByRole('link', { name: 'Revoke' }).click();
      await page.getByRole('button', { name: 'Revoke' }).click();
      await page.getByText('No tokens yet').waitFor();
    },
    tokens: async (page) => {
      await create(page, HOSTILE, 'Read & write');
      await create(page, 'W'.repeat(255));
      await page.goto(`${origin}${HOME}`);
    },
    'new token': async (page) => {
      await create(page, 'Dashboard of the marketing team');
    },
    'rejected token': async (page) => {
      await page.getByRole('button', { name: 'Create token' }).click();
      await page.getByText('“Name” is required.').waitFor();
    },
    dialog: async (page) => {
      await create(page, HOSTILE);
      await page.getByRole('link', { name: 'Revoke' }).last().click();
      await page.getByRole('dialog').waitFor();
    },
    'revoke page': async (page) => {
      const path = await page.getByRole('link', { name: 'Revoke' }).getAttribute('href');
      await page.goto(`${origin}${path ?? ''}`);
    },
    password: async (page) => {
      await page.getByRole('link', { name: 'Password' }).click();
      await page.getByLabel('Current password').waitFor();
    },
    'rejected password': async (page) => {
      await page.getByRole('link', { name: 'Password' }).click();
      await page.getByLabel('Current password').fill('a wrong password');
      await page.getByRole('button', { name: 'Change password' }).click();
      await page.getByText('The password must have').waitFor();
    },
    sessions: async (page) => {
      await signIn();
      await page.getByRole('link', { name: 'Sessions' }).click();
      await page.getByRole('heading', { name: 'End all other sessions' }).waitFor();
    },
    'not found': async (page) => {
      await page.goto(`${origin}${HOME}/999999/revoke`);
    },
  };

  it.each(Object.keys(states))(
    'in the state "%s" fits the window, is accessible, complies with its CSP and loads nothing from other hosts',
    async (name) => {
      const visit = await signIn();
      await states[name](visit.page);
      await visit.page.getByRole('heading', { level: 1 }).waitFor();
      await scene.expectFits(visit);
    },
  );

  it('has touch targets that are large enough', async () => {
    const { page } = await signIn({ viewport: SIZES.phone });
    await create(page, 'Dashboard');
    const heights = await page.evaluate<number[]>(
      "[...document.querySelectorAll('a, button, input:not([type=hidden]), .choice')].map((target) => target.closest('.choice') ?? target).map((target) => target.getBoundingClientRect().height)",
    );
    expect(Math.min(...heights.filter((height) => height > 0))).toBeGreaterThanOrEqual(24);
  });

  it("does not break the user's e-mail address, even on very narrow screens", async () => {
    const email = `${'somebody.with.a.long.name.'.repeat(4)}${person.email}`;
    const sql = 'UPDATE users SET email = ? WHERE id = ?';
    await scene.api.database.transaction((tx) => tx.query(sql, [email, person.id]));
    person.email = email;
    const { page } = await signIn();
    for (const width of [320, 360, 768, 1280]) {
      await page.setViewportSize({ width, height: 640 });
      const tops = await page.evaluate<number[]>(
        "[...document.querySelector('header bdi').getClientRects()].map(({ top }) => top)",
      );
      const lines = new Set(tops).size;
      expect([width, lines, await overflow(page)]).toEqual([width, 1, 0]);
      expect(await page.getByRole('button', { name: 'Sign out' }).isVisible()).toBe(true);
    }
    expect(await page.getByTitle(email).textContent()).toBe(`Signed in as ${email}`);
  });

  it.each([true, false])(
    'supports the flow from sign-in to sign-out, with JavaScript: %s',
    async (javaScriptEnabled) => {
      const { page } = await scene.visit('/settings/password', { javaScriptEnabled });
      expect(page.url()).toBe(`${origin}/login?next=%2Fsettings%2Fpassword`);
      await fillIn(page, 'a wrong password');
      expect(await page.getByLabel('E-mail address').inputValue()).toBe(person.email);
      expect(await page.evaluate('document.activeElement.id')).toBe('password');
      await fillIn(page);
      expect(page.url()).toBe(`${origin}/settings/password`);
      await page.getByRole('link', { name: 'API tokens' }).click();

      const token = await create(page, 'Walker', 'Read & write');
      expect([await works(token), await page.getByLabel('API token').count()]).toEqual([true, 1]);
      await page.goto(`${origin}${HOME}`);
      expect(await page.content()).not.toContain(token);

      await page.getByRole('link', { name: 'Revoke Walker' }).click();
      await page.getByRole('button', { name: 'Revoke' }).click();
      await page.getByText('The token was revoked.').waitFor();
      expect(await works(token)).toBe(false);

      await page.getByRole('link', { name: 'Password' }).click();
      await page.getByLabel('Current password').fill(PASSWORD);
      await page.getByLabel('New password', { exact: true }).fill('another good password');
      await page.getByLabel('Repeat new password').fill('another good password');
      await page.getByRole('button', { name: 'Change password' }).click();
      await page.getByText('Your password was changed.').waitFor();

      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByText('You have been signed out.').waitFor();
      await page.goto(`${origin}${HOME}`);
      expect(page.url()).toContain('/login?next=');
      const actions = (await auditOf(scene.api, person.id)).filter(({ source }) => source === 'page');
      expect(actions.map(({ action }) => action)).toEqual([
        'sign-in-failed',
        'sign-in',
        'create',
        'revoke',
        'set-password',
        'sign-out',
      ]);
    },
  );

  it('confirms on a separate page without JavaScript, and shows no button that requires it', async () => {
    const { page } = await signIn({ javaScriptEnabled: false });
    await create(page, 'Plain');
    expect(await page.getByRole('button', { name: 'Copy' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Revoke Plain' }).click();
    expect(page.url()).toMatch(/\/settings\/api-tokens\/\d+\/revoke$/);
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Revoke a token');
    await page.getByRole('link', { name: 'Cancel' }).click();
    expect(page.url()).toBe(`${origin}${HOME}`);
    expect(await page.getByRole('link', { name: 'Revoke Plain' }).count()).toBe(1);
  });

  const clipboard = (context: BrowserContext, page: Page): Promise<string> =>
    context
      .grantPermissions(['clipboard-read'])
      .then(() => page.evaluate<string>('navigator.clipboard.readText()'));

  it('copies a new token', async () => {
    const { context, page, complaints } = await signIn();
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const token = await create(page, 'Copied');
    await page.getByRole('button', { name: 'Copy' }).click();
    await page.getByText('Copied.', { exact: true }).waitFor();
    expect([await clipboard(context, page), complaints]).toEqual([token, []]);
  });

  it('copies a new token in browsers without the clipboard API', async () => {
    const { context, page } = await signIn();
    await context.addInitScript("Object.defineProperty(navigator, 'clipboard', { value: undefined })");
    await page.goto(`${origin}${HOME}`);
    const token = await create(page, 'Copied');
    await page.getByRole('button', { name: 'Copy' }).click();
    await page.getByText('Copied.', { exact: true }).waitFor();
    const other = await scene.visit('/login');
    await other.context.grantPermissions(['clipboard-read'], { origin });
    expect(await other.page.evaluate('navigator.clipboard.readText()')).toBe(token);
  });

  it('creates no second token if the page that shows the new token is reloaded', async () => {
    const { page } = await signIn();
    const token = await create(page, 'Once');
    await page.reload();
    expect(await page.getByRole('link', { name: 'Revoke Once' }).count()).toBe(1);
    expect(await page.content()).not.toContain(token);
  });

  it('confirms in a dialog that is usable with the keyboard', async () => {
    const { page } = await signIn();
    const token = await create(page, HOSTILE);
    const link = page.getByRole('link', { name: 'Revoke' }).last();
    const dialog = page.getByRole('dialog', { name: 'Revoke this token?' });
    await link.focus();
    await page.keyboard.press('Enter');
    await dialog.waitFor();
    expect(await dialog.locator('bdi').textContent()).toBe(HOSTILE);
    await page.keyboard.press('Escape');
    expect([await dialog.isVisible(), await page.evaluate('document.activeElement.dataset.name')]).toEqual([
      false,
      HOSTILE,
    ]);
    await page.keyboard.press('Enter');
    await dialog.waitFor();
    await page.keyboard.press('Enter');
    expect([await dialog.isVisible(), await works(token)]).toEqual([false, true]);
    await link.click();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect([await dialog.isVisible(), await works(token)]).toEqual([false, true]);
    await link.click();
    await dialog.getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('The token was revoked.').waitFor();
    expect(await works(token)).toBe(false);
    expect(await page.locator('tbody tr').count()).toBe(1);
  });

  it('explains why a form that was opened before a new sign-in is rejected', async () => {
    const { context, page } = await signIn();
    const other = await context.newPage();
    await other.goto(`${origin}${HOME}`);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await fillIn(page);
    await page.waitForURL(`${origin}/`);
    await other.getByLabel('Name').fill('Late');
    await other.getByRole('button', { name: 'Create token' }).click();
    await other.getByRole('heading', { name: 'This form has expired' }).waitFor();
    await other.getByRole('link', { name: 'Go to your experiments' }).click();
    await other.getByRole('link', { name: 'Settings' }).click();
    expect(await other.getByRole('link', { name: 'Revoke Late' }).count()).toBe(0);
  });

  it('accepts no form from another site', async () => {
    const { context, page } = await signIn();
    const secret = (await context.cookies()).find(({ name }) => name === 'gosset');
    expect(secret).toMatchObject({ httpOnly: true, sameSite: 'Lax', secure: false, path: '/' });
    const token = await page.locator('input[name=form_token]').first().getAttribute('value');
    const evil = origin.replace('127.0.0.1', 'localhost');
    await context.route(`${evil}/**`, (route) =>
      route.fulfill({
        contentType: 'text/html',
        body: `<form method="post" action="${origin}${HOME}"><input name="form_token" value="${token ?? ''}"><input name="name" value="Evil"><input name="permission" value="write"><button>Go</button></form>`,
      }),
    );
    await page.goto(`${evil}/`);
    await page.getByRole('button', { name: 'Go' }).click();
    await page.waitForURL(/127\.0\.0\.1/);
    await page.goto(`${origin}${HOME}`);
    expect(await page.getByRole('link', { name: 'Revoke Evil' }).count()).toBe(0);
    expect(await page.getByRole('link', { name: 'Revoke Test' }).count()).toBe(1);
  });
});
