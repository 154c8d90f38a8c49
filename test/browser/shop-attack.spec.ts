import type { Browser, BrowserContext, Page } from 'playwright-core';
import type { Person, TestApi } from '../support/api';
import { describeInBrowser, launchBrowser } from '../support/browser';
import { demoExperiment, SeededDemo, seedDemo, updateShop } from '../support/demo';
import { startLive } from '../support/live-server';
import { freePort } from '../support/server-process';
import { PASSWORD, signedIn, signer, withPassword } from '../support/visitor';

/*
 * An editor adds code to a variation of the demo and sends an admin its preview link. The admin, who is signed in to
 * the console, opens the link. The code runs on the origin of the shop, which shares cookies with the console, but
 * nothing else.
 */

const HOME = '/settings/api-tokens';

interface Findings {
  /** The console content that the code was able to read. */
  read: string[];
  /** The error of each failed attempt, for debugging. */
  failed: string[];
  finished: boolean;
}

/** Tries every way to reach the console's forms: reading, submitting, framing and opening them. */
const STEAL = `
const found = (window.findings = { read: [], failed: [], finished: false });
const attempt = async (name, action) => {
  try {
    const text = await Promise.race([action(), new Promise((resolve) => setTimeout(resolve, 3000, ''))]);
    if (text) found.read.push(name + ': ' + text);
  } catch (error) {
    found.failed.push(name + ': ' + error);
  }
};
const tokenIn = (text) => /name="form_token" value="([^"]+)"/.exec(text)?.[1] ?? '';
const form = (token) => new URLSearchParams({ name: 'Stolen', permission: 'write', form_token: token });
const post = (path, init = {}) =>
  fetch(CONSOLE + path, { method: 'POST', credentials: 'include', body: form('x'), ...init });
const paths = ['${HOME}', '/', '/settings/password', '/login', '/demo', '/api/teams', '/docs'];
const xhr = (path) => new Promise((resolve) => {
  const request = new XMLHttpRequest();
  request.withCredentials = true;
  request.onloadend = () => resolve(request.responseText);
  request.open('GET', CONSOLE + path);
  request.send();
});
const framed = (path) => new Promise((resolve) => {
  const frame = document.createElement('iframe');
  frame.onload = () => {
    let text = '';
    try { text = frame.contentDocument?.body?.textContent ?? ''; } catch {}
    resolve(text);
  };
  frame.src = CONSOLE + path;
  document.body.append(frame);
});
const submitted = (path) => new Promise((resolve) => {
  const target = document.createElement('iframe');
  target.name = 'target' + path;
  const element = document.createElement('form');
  Object.assign(element, { method: 'post', action: CONSOLE + path, target: target.name });
  form('x').forEach((value, name) => {
    const input = document.createElement('input');
    Object.assign(input, { name, value });
    element.append(input);
  });
  document.body.append(target, element);
  element.submit();
  setTimeout(resolve, 500, '');
});
const toss = (text) => { document.cookie = text; };
const run = async () => {
  for (const path of paths) {
    await attempt('fetch ' + path, async () => (await fetch(CONSOLE + path, { credentials: 'include' })).text());
    await attempt('opaque ' + path, async () =>
      (await fetch(CONSOLE + path, { credentials: 'include', mode: 'no-cors' })).text());
    await attempt('xhr ' + path, () => xhr(path));
    await attempt('frame ' + path, () => framed(path));
  }
  await attempt('cookies', async () => document.cookie.includes('gosset') ? document.cookie : '');
  const send = async (path) => {
    await attempt('post ' + path, () => post(path, { mode: 'no-cors' }).then(() => ''));
    await attempt('post without a referrer ' + path, () =>
      post(path, { mode: 'no-cors', referrerPolicy: 'no-referrer' }).then(() => ''));
    await attempt('beacon ' + path, async () => void navigator.sendBeacon(CONSOLE + path, form('x')));
    await attempt('form ' + path, () => submitted(path));
  };
  await Promise.all(['${HOME}', '${HOME}/1/revoke', '/logout', '/settings/password', '/login'].map(send));
  const opened = window.open(CONSOLE + '${HOME}');
  await new Promise((resolve) => setTimeout(resolve, 1000));
  await attempt('opened', async () => opened?.document?.body?.textContent ?? '');
  opened?.close();
  for (const path of ['/settings', '${HOME}', '/login', '/logout', '/projects']) {
    toss('gosset=' + PLANTED + '; path=' + path);
    toss('gosset-form=' + PLANTED + '; path=' + path);
  }
  toss('gosset=' + PLANTED + '; path=/');
};
const finish = () => run().finally(() => { found.finished = true; });
if (document.body) finish(); else addEventListener('DOMContentLoaded', finish);
`;

/** Sets so many cookies that the browser evicts the oldest cookies of the host. */
const OVERFLOW = `
window.findings = { read: [], failed: [], finished: false };
for (let number = 0; number < 400; number += 1) document.cookie = 'filler' + number + '=x; path=/demo-filler';
window.findings.finished = true;
`;

describeInBrowser("an editor's code in the shop", () => {
  let api: TestApi;
  let browser: Browser;
  let demo: SeededDemo;
  let shop: string;
  let admin: Person;
  let context: BrowserContext;
  /** The session secret of the attacker. */
  let planted: string;

  const inConsole = (path: string): string => `${api.config.publicUrl}${path}`;

  beforeAll(async () => {
    const environment = { DEMO_PORT: String(await freePort()), TRUST_PROXY: '127.0.0.1' };
    [api, browser] = await Promise.all([startLive(environment), launchBrowser()]);
    demo = await seedDemo(api);
    shop = await updateShop(api);
    const [{ id }] = await api.database.read.query("SELECT id FROM users WHERE email = 'admin@demo.example'");
    admin = await withPassword(api, { id, email: 'admin@demo.example' } as Person);
    planted = (await signedIn(api, await signer(api))).visitor.cookies.get('gosset') ?? '';
  });
  afterEach(() => context.close());
  afterAll(async () => {
    await browser.close();
    await api.close();
  });

  async function signIn(bypassCSP: boolean): Promise<Page> {
    context = await browser.newContext({ bypassCSP });
    const page = await context.newPage();
    await page.goto(inConsole(HOME));
    await page.getByLabel('E-mail address').fill(admin.email);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL(inConsole(HOME));
    return page;
  }

  /** The API tokens without their time of last use, which changes. */
  const tokens = (): Promise<{ id: number; name: string }[]> =>
    api.database.read.query(
      'SELECT id, user_id, name, abilities, token_hash, created_at FROM api_tokens ORDER BY id',
    );

  /** The preview link of a variation with this code. */
  async function linkTo(code: string): Promise<string> {
    const experiment = await demoExperiment(demo, 'Newsletter in the footer');
    const [{ id, preview_url }] = experiment.variations;
    const js = `const CONSOLE = ${JSON.stringify(api.config.publicUrl)}; const PLANTED = '${planted}'; ${code}`;
    const answer = await demo.client.patch(`${experiment.path}/variations/${id}`, { js });
    expect(answer.status).toBe(200);
    return preview_url;
  }

  async function follow(link: string): Promise<Findings> {
    const page = await context.newPage();
    await page.goto(link);
    expect(new URL(page.url()).origin).toBe(shop);
    // The test polls, because the CSP of the shop does not allow waitForFunction.
    while ((await page.evaluate('window.findings?.finished')) !== true) {
      await page.waitForTimeout(100);
    }
    const findings = await page.evaluate<Findings>('window.findings');
    await page.close();
    return findings;
  }

  /** Asserts that the admin can continue to work in the console. */
  async function expectAtWork(page: Page): Promise<void> {
    await page.goto(inConsole(HOME));
    await page.getByTitle(admin.email).waitFor();
    await page.goto(inConsole('/settings/password'));
    await page.getByTitle(admin.email).waitFor();
    await page.goto(inConsole('/'));
    await page.getByTitle(admin.email).waitFor();
  }

  it('could read the forms if it ran on the origin of the console', async () => {
    const page = await signIn(true);
    await page.evaluate(`const CONSOLE = location.origin; const PLANTED = 'x'; ${STEAL}`);
    while ((await page.evaluate('window.findings.finished')) !== true) {
      await page.waitForTimeout(100);
    }
    const { read } = await page.evaluate<Findings>('window.findings');
    expect(read).toContainEqual(expect.stringMatching(/^fetch \/settings\/api-tokens: [^]*form_token/));
    expect(read).toContainEqual(expect.stringMatching(/^xhr \/settings\/api-tokens: [^]*form_token/));
    expect(read).toContainEqual(expect.stringMatching(/^opened: /));
  });

  it.each([false, true])(
    'cannot read the console or act there, with the CSP of the shop bypassed: %s',
    async (bypassCSP) => {
      const page = await signIn(bypassCSP);
      const before = await tokens();
      const [{ password_hash: password }] = await api.database.read.query(
        'SELECT password_hash FROM users WHERE id = ?',
        [admin.id],
      );
      const { read } = await follow(await linkTo(STEAL));
      expect(read).toEqual([]);
      expect(await tokens()).toEqual(before);
      const [after] = await api.database.read.query('SELECT password_hash FROM users WHERE id = ?', [
        admin.id,
      ]);
      expect(after.password_hash).toEqual(password);
      await expectAtWork(page);
      await page.goto(inConsole(HOME));
      await page.getByLabel('Name').fill('Own');
      await page.getByLabel('Read only').check();
      await page.getByRole('button', { name: 'Create token' }).click();
      expect(await page.getByLabel('API token').inputValue()).toMatch(/^gos_/);
    },
  );

  it('can at worst sign a user out', async () => {
    const page = await signIn(true);
    const before = await tokens();
    await follow(await linkTo(OVERFLOW));
    await page.goto(inConsole(HOME));
    if (page.url() !== inConsole(HOME)) {
      await page.getByLabel('E-mail address').fill(admin.email);
      await page.getByLabel('Password').fill(PASSWORD);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.waitForURL(inConsole(HOME));
    }
    await expectAtWork(page);
    expect(await tokens()).toEqual(before);
  });
});
