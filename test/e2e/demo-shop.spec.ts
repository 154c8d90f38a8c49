import { TestApi } from '../support/api';
import { demoExperiment, SeededDemo, seedDemo } from '../support/demo';

/* The shop of the demo, as it is served. */

const ORIGIN = 'https://ab.example.com';
const PAGES = ['//demo', '//demo/products/tea-pot', '//demo/checkout', '//demo/checkout?item=cups'];
const FILES = ['//demo/shop.css', '//demo/shop.js'];

let api: TestApi;
let demo: SeededDemo;

/** Every page has a nonce of its own. */
const withoutNonce = (text: string): string => text.replace(/ nonce="[^"]*"/, '');

const get = (path: string) => api.as(null).get(path, { accept: 'text/html' });

beforeAll(async () => {
  api = await TestApi.start();
});
afterAll(() => api.close());

it('is unknown like any other address without the demo', async () => {
  await api.world();
  const unknown = await get('//nowhere');
  for (const path of [...PAGES, ...FILES]) {
    const { status, text } = await get(path);
    expect([path, status, withoutNonce(text)]).toEqual([path, 404, withoutNonce(unknown.text)]);
  }
});

describe('with the demo', () => {
  beforeAll(async () => {
    demo = await seedDemo(api);
  });

  it.each(PAGES)('shows %s under a policy that allows the snippet and nothing inline', async (path) => {
    const { status, headers, text } = await get(path);
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(headers['content-security-policy']).toBe(
      `default-src 'none'; script-src 'self' ${ORIGIN}; connect-src 'self' ${ORIGIN}; style-src 'self'; img-src 'self' data:; require-trusted-types-for 'script'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`,
    );
    expect(headers['x-robots-tag']).toContain('noindex');
    const head = text.slice(0, text.indexOf('</head>'));
    expect(head).toContain(`<script src="${demo.snippetUrl}"></script>`);
    expect(text.match(/<script(?![^>]* src="[^"]+")|<style| style="| on\w+="/g)).toBeNull();
  });

  it('serves its style and script as files', async () => {
    const types = await Promise.all(FILES.map(async (path) => (await get(path)).headers['content-type']));
    expect(types).toEqual(['text/css; charset=utf-8', 'text/javascript; charset=utf-8']);
  });

  it.each(['//demo/products/unknown', '//demo/products', '//demo/x', '//demo/shop.js/x'])(
    'has nothing at %s',
    async (path) => {
      expect((await get(path)).status).toBe(404);
    },
  );

  it('has published what runs: the experiment of the product pages, and nothing else', async () => {
    const { body } = await get(`//api/features/${demo.clientKey}`);
    expect(Object.keys(body.features)).toEqual(['green-buy-button']);
    const script = (await get(`//s/${demo.clientKey}.js`)).text;
    expect(script).toContain('Buy now, with you tomorrow');
  });

  it('is where the examples of its experiments are, apart from those that are over', async () => {
    const experiments = (await demo.client.get(`${demo.project}/experiments`)).body;
    const links: string[] = experiments
      .filter(({ status }: { status: string }) => status !== 'archive')
      .flatMap(({ variations }: { variations: { preview_url: string }[] }) =>
        variations.map(({ preview_url }) => preview_url),
      );
    expect(links).toHaveLength(9);
    for (const link of links) {
      const { status } = await get(`/${link.slice(ORIGIN.length)}`);
      expect([link, status, link.startsWith(`${ORIGIN}/demo`)]).toEqual([link, 200, true]);
    }
  });

  it('links to the results of its experiment and to each of its variations', async () => {
    const experiment = await demoExperiment(demo, 'Green buy button');
    const { share_url } = (await demo.client.get(`${experiment.path}/results/info`)).body;
    const { text } = await get('//demo');
    expect(text).toContain(`href="${share_url}"`);
    for (const { preview_url } of experiment.variations) {
      expect(text).toContain(`href="${preview_url}"`);
    }
    await demo.client.patch(experiment.path, { name: 'Renamed' });
    const renamed = (await get('//demo')).text;
    expect(renamed).not.toContain(share_url);
  });

  it('thanks also those who have no scripts', async () => {
    const form = (await get('//demo/checkout?item=cups')).text;
    expect(form).toContain('data-total="24.00"');
    const thanks = (await get('//demo/checkout?item=cups&bought=yes')).text;
    expect(thanks).not.toContain('<form');
    expect(thanks).toMatch(/<section class="thanks"(?![^>]* hidden)/);
    expect((await get('//demo/checkout?item=unknown')).text).toContain('The cart is empty');
  });

  it('ends with its project', async () => {
    const { path } = await demoExperiment(demo, 'Renamed');
    await demo.client.patch(`${path}/status`, { status: 'pause' });
    expect((await demo.client.delete(demo.project)).status).toBe(204);
    for (const address of [...PAGES, ...FILES]) {
      expect([address, (await get(address)).status]).toEqual([address, 404]);
    }
  });
});
