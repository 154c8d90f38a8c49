import { parseHTML } from 'linkedom';
import { SeededDemo, demoExperiment, seedDemo } from '../support/demo';
import { PathProxy } from '../support/path-proxy';
import type { Made } from '../support/scene';
import { type Person, TestApi } from '../support/api';
import { hiddenFields, PASSWORD, signer } from '../support/visitor';

/* A server under a path of another site, behind a proxy that removes the path prefix. */

const PATH = '/tools/ab';
const MAX_PAGES = 200;
const MAX_OF_A_KIND = 4;
const FIELDS = { password: 'another horse battery staple', password_again: 'another horse battery staple' };

let proxy: PathProxy;
let api: TestApi;
let demo: SeededDemo;
/** An admin of the demo's team. */
let person: Person;

beforeAll(async () => {
  proxy = await PathProxy.listen(PATH);
  api = await TestApi.start({
    PUBLIC_URL: proxy.publicUrl,
    TRUST_PROXY: '127.0.0.1',
    RATE_LIMIT_PER_MINUTE: '0',
  });
  await api.app.listen(0, '127.0.0.1');
  proxy.target = await api.app.getUrl();
  demo = await seedDemo(api);
  person = await signer(api);
  const [{ id: teamId }] = (await demo.client.get('/teams')).body as [{ id: number }];
  await api.join(teamId, person, 'admin');
});
afterAll(async () => {
  await proxy.close();
  await api.close();
});
afterEach(() => {
  expect(proxy.strays.splice(0)).toEqual([]);
});

/** A browser that keeps cookies, and follows redirects. */
class Browser {
  private readonly cookies = new Map<string, string>();

  async send(address: string, init: RequestInit = {}): Promise<Response> {
    const cookie = [...this.cookies].map((pair) => pair.join('=')).join('; ');
    const headers = { accept: 'text/html', cookie, origin: new URL(proxy.publicUrl).origin, ...init.headers };
    const answer = await fetch(address, { redirect: 'manual', ...init, headers });
    for (const text of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(text) ?? [];
      this.cookies.set(name, value);
    }
    return answer;
  }

  /** Opens a URL and follows redirects. */
  async open(address: string): Promise<{ url: string; status: number; type: string; text: string }> {
    const answer = await this.send(address);
    const location = answer.headers.get('location');
    if (answer.status >= 300 && answer.status < 400 && location !== null) {
      return this.open(new URL(location, address).href);
    }
    const type = answer.headers.get('content-type') ?? '';
    return { url: address, status: answer.status, type, text: await answer.text() };
  }

  async submit(address: string, fields: Record<string, string>): Promise<string> {
    const { text, url } = await this.open(address);
    const action = /<form[^>]* action="([^"]+)"/.exec(text)?.[1] ?? '';
    const body = new URLSearchParams({ ...hiddenFields(text), ...fields });
    const answer = await this.send(new URL(action, url).href, { method: 'POST', body });
    expect([answer.status, await answer.text()]).toEqual([303, expect.any(String)]);
    return new URL(answer.headers.get('location') ?? '', url).href;
  }
}

/** The URLs in the attributes of a page that have the same origin as `base`. */
function addressesIn(text: string, base: string): string[] {
  const { document } = parseHTML(text);
  const found = [...document.querySelectorAll('[href], [src], [action]')].map((element) =>
    ['href', 'src', 'action'].map((name) => element.getAttribute(name)).find((value) => value !== null),
  );
  const absolute = found.map((value) => new URL(value ?? '', base).href);
  return absolute.filter((address) => new URL(address).origin === new URL(base).origin);
}

const isBelow = (address: string): boolean => address.startsWith(`${proxy.publicUrl}/`);

/**
 * Follows links, starting at a URL, until it has opened `MAX_PAGES` pages. Of pages that differ only in ids or in the
 * query, it opens only the first `MAX_OF_A_KIND`.
 */
async function walk(browser: Browser, start: string): Promise<Map<string, number>> {
  const seen = new Map<string, number>();
  const kinds = new Map<string, number>();
  const next = [start];
  for (let address = next.shift(); address !== undefined && seen.size < MAX_PAGES; address = next.shift()) {
    const plain = address.replace(/#.*$/, '');
    const kind = plain.replace(/\?.*$/, '').replace(/\d+/g, '0');
    const known = kinds.get(kind) ?? 0;
    if (seen.has(plain) || known >= MAX_OF_A_KIND) {
      continue;
    }
    kinds.set(kind, known + 1);
    expect([plain, isBelow(plain)]).toEqual([plain, true]);
    const { status, type, text, url } = await browser.open(plain);
    seen.set(plain, status);
    expect([url, isBelow(url)]).toEqual([url, true]);
    next.push(...(type.startsWith('text/html') ? addressesIn(text, url) : []));
  }
  return seen;
}

const broken = (seen: Map<string, number>): [string, number][] =>
  [...seen].filter(([, status]) => status !== 200);

describe('pages', () => {
  it('redirect and link signed-in users only to URLs below the path', async () => {
    const browser = new Browser();
    const home = `${proxy.publicUrl}/`;
    expect((await browser.open(`${home}settings/password`)).url).toBe(
      `${home}login?next=%2Fsettings%2Fpassword`,
    );
    const fields = { email: person.email, password: PASSWORD };
    expect(await browser.submit(`${home}login`, fields)).toBe(home);
    const seen = await walk(browser, home);
    const paths = [...seen.keys()].map((address) => new URL(address).pathname.slice(PATH.length));
    expect(paths).toEqual(
      expect.arrayContaining(['/settings/sessions', '/settings/api-tokens', '/assets/pages.js']),
    );
    expect(paths.some((path) => /^\/projects\/\d+\/experiments\/\d+/.test(path))).toBe(true);
    // The excluded routes only accept forms.
    expect(broken(seen).filter(([address]) => !/\/logout$|\/revoke$|\/end/.test(address))).toEqual([]);
    const { text, url } = await browser.open(`${home}projects/1/plan?goal_id=1&minimum_effect=20`);
    const linked = addressesIn(text, url);
    expect(linked.filter((address) => !isBelow(address))).toEqual([]);
    expect(linked).toContainEqual(expect.stringMatching(/\/projects\/1\/experiments\/\d+$/));
    expect(
      await browser.submit(`${home}settings/password`, { ...FIELDS, current_password: PASSWORD }),
    ).toMatch(new RegExp(`^${home}`));
  });

  it('of shared results and their images are below the path', async () => {
    const { path, goals } = await demoExperiment(demo, 'Green buy button');
    const { share_url: shared } = (await demo.client.get(`${path}/results/info`)).body as {
      share_url: string;
    };
    expect(isBelow(shared)).toBe(true);
    const seen = await walk(new Browser(), shared);
    expect(broken(seen)).toEqual([]);
    for (const { id } of goals as Made[]) {
      const [image, page] = await Promise.all([
        fetch(`${shared}/goals/${id}.svg`),
        fetch(`${shared}/goals/${id}`),
      ]);
      expect([image.status, page.status]).toEqual([200, 200]);
    }
    expect(goals).not.toEqual([]);
  });

  it('of errors link back to the start', async () => {
    const { status, text, url } = await new Browser().open(`${proxy.publicUrl}/nowhere`);
    expect(status).toBe(404);
    expect(addressesIn(text, url).filter((address) => !isBelow(address))).toEqual([]);
    expect(addressesIn(text, url)).toContain(`${proxy.publicUrl}/`);
  });
});

describe('the API', () => {
  const ask = (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(path.startsWith('http') ? path : `${proxy.publicUrl}/api${path}`, {
      ...init,
      headers: { accept: 'application/json', authorization: `Bearer ${person.token}`, ...init.headers },
    });

  it('returns working URLs', async () => {
    const body = JSON.stringify({ name: 'Below' });
    const headers = { 'content-type': 'application/json' };
    const made = await ask(`${demo.project}/goals`, { method: 'POST', body, headers });
    const location = made.headers.get('location') ?? '';
    expect([made.status, isBelow(location)]).toEqual([201, true]);
    expect(await (await ask(location)).json()).toMatchObject({ name: 'Below' });
    const list = await ask(`${demo.project}/goals?page=1&per_page=1`);
    const [, next = ''] = /<([^>]+)>; rel="next"/.exec(list.headers.get('link') ?? '') ?? [];
    expect(isBelow(next)).toBe(true);
    expect((await ask(next)).status).toBe(200);
  });

  it('describes itself with URLs below the path, both on the reference page and for tools', async () => {
    const { servers } = (await (await ask(`${proxy.publicUrl}/docs/openapi.json`)).json()) as {
      servers: { url: string }[];
    };
    expect(servers).toEqual([{ url: proxy.publicUrl }]);
    const script = await (await ask(`${proxy.publicUrl}/docs/swagger-ui-init.js`)).text();
    expect(script).toContain(`"url": "${PATH}"`);
    const seen = await walk(new Browser(), `${proxy.publicUrl}/docs`);
    expect(broken(seen)).toEqual([]);
    expect(seen.size).toBeGreaterThan(3);
  });

  it('is available over MCP', async () => {
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const init = { method: 'POST', body: JSON.stringify(message), headers };
    expect((await ask(`${proxy.publicUrl}/mcp`, init)).status).toBe(200);
  });
});

describe('delivery', () => {
  it("works below the path, and so do the snippet's requests", async () => {
    const script = await fetch(demo.snippetUrl);
    expect([script.status, isBelow(demo.snippetUrl)]).toEqual([200, true]);
    expect(await script.text()).toContain(proxy.publicUrl);
    const features = await fetch(`${proxy.publicUrl}/api/features/${demo.clientKey}`);
    expect(features.status).toBe(200);
  });
});
