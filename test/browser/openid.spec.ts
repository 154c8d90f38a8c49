import type { Browser } from 'playwright-core';
import type { Person, TestApi } from '../support/api';
import { accessibilityProblems, describeInBrowser, launchBrowser, open, Visit } from '../support/browser';
import { unexpected } from '../support/browser-scene';
import { OPENID_CLIENT, OpenIdServer } from '../support/openid';
import { freePort } from '../support/server-process';
import { startLive } from '../support/live-server';
import { ageSessions } from '../support/visitor';

/* Sign-in with OpenID Connect in a real browser, with the npm package `oidc-provider` as the provider. */

describeInBrowser('sign-in with OpenID Connect', () => {
  const visits: Visit[] = [];
  let browser: Browser;
  let provider: OpenIdServer;
  let api: TestApi;
  let person: Person;
  let origin: string;

  beforeAll(async () => {
    const port = await freePort();
    // All ports of a host share cookies, so the provider uses a different host name.
    origin = `http://localhost:${port}`;
    [browser, provider] = [await launchBrowser(), await OpenIdServer.start(origin)];
    api = await startLive(
      {
        PUBLIC_URL: origin,
        OIDC_ISSUER: provider.issuer,
        OIDC_NAME: 'Acme',
        ...OPENID_CLIENT,
      },
      port,
    );
    person = await api.person();
    await provider.account('ann', { email: person.email, email_verified: true });
    await provider.account('unverified', { email: person.email, email_verified: false });
  });
  afterEach(async () => {
    await Promise.all(visits.splice(0).map(({ context }) => context.close()));
  });
  afterAll(async () => {
    await browser.close();
    await api.close();
    await provider.stop();
  });

  /** Follows the provider link on the sign-in page, and enters an account name at the provider. */
  async function signIn(account: string, javaScriptEnabled = true): Promise<Visit> {
    const visit = await open(browser, `${origin}/settings/sessions`, { javaScriptEnabled });
    visits.push(visit);
    await visit.page.getByRole('link', { name: 'Sign in with Acme' }).click();
    await visit.page.getByLabel('Account').fill(account);
    await visit.page.getByRole('button', { name: 'Continue' }).click();
    return visit;
  }

  it.each([true, false])('redirects back to the requested page, with JavaScript: %s', async (withScripts) => {
    const { page, complaints } = await signIn('ann', withScripts);
    await page.waitForURL(`${origin}/settings/sessions`);
    expect(await page.getByText(person.email).first().isVisible()).toBe(true);
    // The expected 404 is for the provider's favicon, which does not exist.
    expect(unexpected(complaints)).toEqual([]);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('You have been signed out.').waitFor();
  });

  it("confirms the user's identity in a new tab, after which the form can be submitted with its input", async () => {
    const { page, context, complaints } = await signIn('ann', false);
    await page.waitForURL(`${origin}/settings/sessions`);
    await ageSessions(api, person.id, 16);
    await page.goto(`${origin}/settings/api-tokens`);
    await page.getByLabel('Name', { exact: true }).fill('Kept');
    await page.getByRole('button', { name: 'Create token' }).click();
    const opened = context.waitForEvent('page');
    await page.getByRole('link', { name: 'Sign in again with Acme in a new tab' }).click();
    const tab = await opened;
    await tab.getByLabel('Account').fill('ann');
    await tab.getByRole('button', { name: 'Continue' }).click();
    await tab.getByText('Go back to the tab with your form').waitFor();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('shown only once').waitFor();
    expect(await page.getByRole('cell', { name: 'Kept' }).count()).toBe(1);
    expect(unexpected(complaints)).toEqual([]);
  });

  it('is rejected with a readable page that offers a retry', async () => {
    const { page, complaints } = await signIn('unverified');
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('alert').textContent()).toContain('has not verified your e-mail address');
    expect(await page.getByRole('link', { name: 'Sign in with Acme' }).isVisible()).toBe(true);
    expect(unexpected(complaints)).toEqual([]);
  });

  it('fails if the user cancels at the provider', async () => {
    const visit = await open(browser, `${origin}/login`, { bypassCSP: true });
    visits.push(visit);
    expect(await accessibilityProblems(visit.page)).toEqual([]);
    await visit.page.getByRole('link', { name: 'Sign in with Acme' }).click();
    await visit.page.getByRole('button', { name: 'Cancel' }).click();
    await visit.page.waitForURL(`${origin}/**`);
    await visit.page.getByRole('alert').waitFor();
  });
});
