import { setTimeout as sleep } from 'node:timers/promises';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { describeInBrowser, Visit } from '../support/browser';
import { useBrowser } from '../support/browser-scene';
import { PASSWORD } from '../support/visitor';

/* Members, invitations and token limits in a real browser. */

const HOSTILE = `</title><script>alert(1)</script>شراء \u202e الآن ${'Extraordinarily'.repeat(8)}`;

describeInBrowser('the member pages', () => {
  const scene = useBrowser();
  let members: string;

  beforeAll(async () => {
    const { api, world, client } = scene;
    members = `/teams/${world.teamId}/members`;
    await scene.admin();
    await api.project(world.teamId, HOSTILE);
    const body = { email: `${'long.address.'.repeat(10)}@example.com`, name: HOSTILE, role: 'publisher' };
    await client.post(members, body);
  });

  /** Signs in with the form, because tests change the age of this session. */
  async function asAdmin(path: string, options: BrowserContextOptions = {}): Promise<Visit> {
    const opened = await scene.visit(path, options);
    await opened.page.getByLabel('E-mail address').fill(scene.world.people.admin.email);
    await opened.page.getByLabel('Password').fill(PASSWORD);
    await opened.page.getByRole('button', { name: 'Sign in' }).click();
    await opened.page.waitForURL(`${scene.origin}${path}`);
    return opened;
  }

  async function add(page: Page, email: string): Promise<string> {
    await page.goto(`${scene.origin}${members}/add`);
    await page.getByLabel('E-mail address').fill(email);
    await page.getByLabel('editor').check();
    await page.getByRole('button', { name: 'Add member' }).click();
    await page.getByRole('heading', { name: 'Copy the invitation link now' }).waitFor();
    return page.getByRole('textbox', { name: 'Invitation link' }).inputValue();
  }

  const ageSignIns = (): Promise<unknown> =>
    scene.api.database.transaction((tx) =>
      tx.query('UPDATE sessions SET created_at = created_at - 1000000000'),
    );

  const states: Record<string, (page: Page) => Promise<unknown>> = {
    members: () => Promise.resolve(),
    'add a member': (page) => page.goto(`${scene.origin}${members}/add`),
    'an invalid address': async (page) => {
      await page.goto(`${scene.origin}${members}/add`);
      await page.getByLabel('E-mail address').fill('nobody');
      await page.getByRole('button', { name: 'Add member' }).click();
    },
    'a role change': (page) => page.getByRole('link', { name: 'Change role' }).last().click(),
    'a removal': (page) => page.getByRole('link', { name: 'Remove' }).last().click(),
    'a link': (page) => add(page, `link-${Math.random()}@example.com`),
    'an invitation': async (page) => page.goto(await add(page, `guest-${Math.random()}@example.com`)),
    'an invalid invitation': (page) => page.goto(`${scene.origin}/invitation/${'a'.repeat(43)}`),
    tokens: (page) => page.goto(`${scene.origin}/settings/api-tokens`),
    'a password confirmation': async (page) => {
      await page.goto(`${scene.origin}/settings/api-tokens`);
      await ageSignIns();
      await page.getByLabel('Name', { exact: true }).fill('Script');
      await page.getByRole('button', { name: 'Create token' }).click();
      await page.getByRole('heading', { name: 'Confirm your password' }).waitFor();
    },
  };

  it.each(Object.keys(states))(
    '%s: fits the window, is accessible and complies with its CSP',
    async (name) => {
      const visit = await asAdmin(members);
      await states[name](visit.page);
      await visit.page.getByRole('heading', { level: 1 }).waitFor();
      await scene.expectFits(visit);
    },
  );

  it('a new member can sign in with the link that the admin has copied', async () => {
    const { page, context } = await asAdmin(members);
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: scene.origin });
    const link = await add(page, 'grace@example.com');
    await page.getByRole('button', { name: 'Copy' }).first().click();
    await page.getByText('Copied.').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(link);
    const guest = await scene.visit(new URL(link).pathname);
    const referrers: (string | undefined)[] = [];
    guest.page.on('request', (request) => referrers.push(request.headers().referer));
    await guest.page.getByLabel('Password', { exact: true }).fill('a good password');
    await guest.page.getByLabel('Repeat password').fill('a good password');
    await guest.page.getByRole('button', { name: 'Set password and sign in' }).click();
    await guest.page.waitForURL(`${scene.origin}/`);
    await guest.page.getByText('grace@example.com').first().waitFor();
    expect(referrers.filter((referrer) => referrer?.includes('/invitation/'))).toEqual([]);
    await guest.page.goto(link);
    await guest.page.getByRole('heading', { name: 'This invitation is not valid' }).waitFor();
  });

  it('shows the link even if the button is pressed twice', async () => {
    const { page } = await asAdmin(`${members}/add`);
    await page.getByLabel('E-mail address').fill('twice@example.com');
    await page.route(`**${members}/add`, async (route) => {
      const response = await route.fetch({ maxRedirects: 0 });
      // If the button is pressed again before the first response arrives, the browser shows the second response.
      await sleep(500);
      await route.fulfill({ response }).catch(() => undefined);
    });
    await page.getByRole('button', { name: 'Add member' }).dblclick({ delay: 100 });
    await page.getByText('twice@example.com').first().waitFor();
    expect(await page.getByRole('textbox', { name: 'Invitation link' }).count()).toBe(1);
  });

  it('works without scripts', async () => {
    const { page } = await asAdmin(members, { javaScriptEnabled: false });
    const link = await add(page, 'ada@example.com');
    expect(link).toContain('/invitation/');
    await page.goto(`${scene.origin}${members}`);
    await page.getByRole('link', { name: 'Remove ada', exact: true }).click();
    await page.getByRole('button', { name: 'Remove' }).click();
    await page.getByText('The member was removed.').waitFor();
    expect(await page.getByText('ada@example.com').count()).toBe(0);
  });
});
