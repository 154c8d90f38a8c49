import { TestApi } from '../support/api';
import { demoExperiment, SeededDemo, seedDemo, updateShop } from '../support/demo';
import { freePort } from '../support/server-process';

/* The demo shop, which has a separate origin, because it runs the code of experiments. */

const CONSOLE = 'https://ab.example.com';
const PAGES = ['/', '/products/tea-pot', '/checkout', '/checkout?item=cups'];
const FILES = ['/shop.css', '/shop.js'];

let api: TestApi;
let demo: SeededDemo;
/** The URL of the shop, and its port. */
let shop: string;
let port: number;

beforeAll(async () => {
  port = await freePort();
  shop = `http://127.0.0.1:${port}`;
  api = await TestApi.start({ DEMO_PORT: String(port) });
});
afterAll(() => api.close());

/** Removes the nonce, which differs in every response. */
const withoutNonce = (text: string): string => text.replace(/ nonce="[^"]*"/, '');

const onConsole = (path: string) => api.as(null).get(`/${path}`, { accept: 'text/html' });
const onShop = (path: string) => fetch(`${shop}${path}`, { headers: { accept: 'text/html' } });
const textAt = async (path: string): Promise<string> => (await onShop(path)).text();
const isRefused = (): Promise<boolean> =>
  onShop('/').then(
    () => false,
    () => true,
  );

it('the shop has no open port without the demo, and its paths return 404 on the console', async () => {
  await api.world();
  await updateShop(api);
  expect(await isRefused()).toBe(true);
  const unknown = await onConsole('/nowhere');
  for (const path of ['/demo', ...PAGES.map((page) => `/demo${page}`)]) {
    const { status, text } = await onConsole(path);
    expect([path, status, withoutNonce(text)]).toEqual([path, 404, withoutNonce(unknown.text)]);
  }
});

describe('with the demo', () => {
  beforeAll(async () => {
    demo = await seedDemo(api);
    expect(await updateShop(api)).toBe(`${CONSOLE}:${port}`);
  });

  it.each([
    ['/demo', '/'],
    ['/demo/', '/'],
    ['/demo?gosset_preview=1.x', '/?gosset_preview=1.x'],
    ['/demo/products/tea-pot?a=%2F&b', '/products/tea-pot?a=%2F&b'],
    ['/demo//evil.example', '//evil.example'],
    ['/demo/%0d%0aevil', '/%0d%0aevil'],
    ['/demo/@evil.example', '/@evil.example'],
  ])('redirects %s on the console to the shop', async (path, there) => {
    const { status, headers, text } = await onConsole(path);
    expect([status, headers.location, text]).toEqual([302, `${CONSOLE}:${port}${there}`, '']);
    expect([headers['cache-control'], headers['content-security-policy']]).toEqual([
      'no-store',
      "default-src 'none'; frame-ancestors 'none'",
    ]);
  });

  it.each(['/demox', '/demo.js', '//demo@evil.example'])('does not redirect %s', async (path) => {
    expect((await onConsole(path)).status).toBe(404);
  });

  it.each(PAGES)('shows %s with a CSP that allows the snippet, but nothing inline', async (path) => {
    const answer = await onShop(path);
    const text = await answer.text();
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(answer.headers.get('content-security-policy')).toBe(
      `default-src 'none'; script-src 'self' ${CONSOLE}; connect-src ${CONSOLE}; style-src 'self'; img-src 'self' data:; require-trusted-types-for 'script'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`,
    );
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'x-robots-tag': expect.stringContaining('noindex'),
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
    });
    expect(answer.headers.get('set-cookie')).toBeNull();
    const head = text.slice(0, text.indexOf('</head>'));
    expect(head).toContain(`<script src="${demo.snippetUrl}"></script>`);
    expect(text.match(/<script(?![^>]* src="[^"]+")|<style| style="| on\w+="/g)).toBeNull();
  });

  it('serves its style sheet and script as files', async () => {
    const types = await Promise.all(
      FILES.map(async (path) => (await onShop(path)).headers.get('content-type')),
    );
    expect(types).toEqual(['text/css; charset=utf-8', 'text/javascript; charset=utf-8']);
  });

  it.each(['/products/unknown', '/products', '/x', '/shop.js/x', '/demo', '/login', '/api/teams', '/%'])(
    'returns 404 at %s',
    async (path) => {
      expect((await onShop(path)).status).toBe(404);
    },
  );

  it.each(['/products/unknown', '/cart'])(
    'has a page for the wrong address %s, with the way back',
    async (path) => {
      const answer = await onShop(path);
      const text = await answer.text();
      expect([answer.status, answer.headers.get('content-security-policy')]).toEqual([
        404,
        expect.stringContaining("default-src 'none'"),
      ]);
      expect(text).toContain('<h1>Page not found</h1>');
      expect(text).toContain('<a href="/">');
      expect(await (await fetch(`${shop}${path}`)).json()).toMatchObject({ code: 'NOT_FOUND' });
    },
  );

  it('accepts no input', async () => {
    const answer = await fetch(shop, { method: 'POST', body: '{}' });
    expect(await answer.json()).toEqual({ message: expect.any(String), code: expect.any(String) });
    expect([404, 415]).toContain(answer.status);
  });

  it('has published only the running experiment of the product pages', async () => {
    const { body } = await onConsole(`/api/features/${demo.clientKey}`);
    expect(Object.keys(body.features)).toEqual(['green-buy-button']);
    const script = (await onConsole(`/s/${demo.clientKey}.js`)).text;
    expect(script).toContain('Buy now, arrives tomorrow');
  });

  it('has the example pages of its experiments, except archived ones', async () => {
    const experiments = (await demo.client.get(`${demo.project}/experiments`)).body;
    const links: string[] = experiments
      .filter(({ status }: { status: string }) => status !== 'archive')
      .flatMap(({ variations }: { variations: { preview_url: string }[] }) =>
        variations.map(({ preview_url }) => preview_url),
      );
    expect(links).toHaveLength(9);
    for (const link of links) {
      const { origin, pathname, search } = new URL(link);
      expect([link, origin, (await onShop(pathname + search)).status]).toEqual([
        link,
        `${CONSOLE}:${port}`,
        200,
      ]);
    }
  });

  it('links to the results of its experiment and to each variation', async () => {
    const experiment = await demoExperiment(demo, 'Green buy button');
    const { share_url } = (await demo.client.get(`${experiment.path}/results/info`)).body;
    const text = await textAt('/');
    expect(text).toContain(`href="${share_url}"`);
    for (const { preview_url } of experiment.variations) {
      expect(text).toContain(`href="${preview_url}"`);
    }
    await demo.client.patch(experiment.path, { name: 'Renamed' });
    expect(await textAt('/')).not.toContain(share_url);
  });

  it('has a thank-you page that works without scripts', async () => {
    const form = await textAt('/checkout?item=cups');
    expect(form).toContain('data-total="24.00"');
    const thanks = await textAt('/checkout?item=cups&bought=yes');
    expect(thanks).not.toContain('<form');
    expect(thanks).toMatch(/<section class="thanks"(?![^>]* hidden)/);
    expect(await textAt('/checkout?item=unknown')).toContain('The cart is empty');
  });

  it('does not affect the server if its port is in use', async () => {
    const sibling = await api.sibling({ DEMO_PORT: String(port) });
    await updateShop(sibling);
    const { status } = await sibling.as(null).get('//health/ready');
    await sibling.close();
    expect([status, (await onShop('/')).status]).toEqual([200, 200]);
  });

  it('uses any free port with DEMO_PORT=0, and the console links to this port', async () => {
    const sibling = await api.sibling({ DEMO_PORT: '0', PUBLIC_URL: 'http://127.0.0.1:3000' });
    const before = await sibling.as(null).get('//demo');
    const origin = await updateShop(sibling);
    const { headers } = await sibling.as(null).get('//demo');
    const { status } = await fetch(headers.location ?? '');
    await sibling.close();
    expect(before.status).toBe(404);
    expect(origin).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect([headers.location, status]).toEqual([`${origin}/`, 200]);
  });

  it('is removed with its project', async () => {
    const { path } = await demoExperiment(demo, 'Renamed');
    await demo.client.patch(`${path}/status`, { status: 'pause' });
    expect((await demo.client.delete(demo.project)).status).toBe(204);
    for (const address of [...PAGES, ...FILES]) {
      expect([address, (await onShop(address)).status]).toEqual([address, 404]);
    }
    expect((await onConsole('/demo')).status).toBe(404);
    await updateShop(api);
    expect(await isRefused()).toBe(true);
  });
});
