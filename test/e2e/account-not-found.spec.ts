import { TestApi } from '../support/api';
import { PageAnswer, signedIn, Visitor } from '../support/visitor';

/* Responses to unknown URLs: 404 pages for browsers, JSON for other clients. */

let api: TestApi;
let visitor: Visitor;
beforeAll(async () => {
  api = await TestApi.start({ PUBLIC_URL: 'https://ab.example.com/gosset', TRUST_PROXY: '127.0.0.1' });
  ({ visitor } = await signedIn(api));
});
afterAll(() => api.close());

/** The Accept header of a browser for a URL in the address bar. */
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const NOWHERE = [
  '/foo',
  '/projects/1/experiments/1/x',
  '/projects/x/experiments',
  '/settings/x',
  '/assets/x.js',
  '/docs/none',
];

const browse = (path: string, as: Visitor = visitor): Promise<PageAnswer> =>
  as.get(path, { accept: BROWSER });

describe('an unknown URL', () => {
  it.each(NOWHERE)('is a 404 page with a link to the start page for browsers: %s', async (path) => {
    for (const browser of [visitor, new Visitor(api)]) {
      const { status, headers, text } = await browse(path, browser);
      expect([status, headers['content-type'], headers.vary]).toEqual([
        404,
        'text/html; charset=utf-8',
        'Accept, Accept-Encoding',
      ]);
      expect(headers['content-security-policy']).toContain("default-src 'none'");
      expect(text).toContain('<h1>Page not found</h1>');
      expect(text).toContain('href="/gosset/"');
    }
  });

  it('keeps the navigation for signed-in users', async () => {
    const [own, others] = [await browse('/foo'), await browse('/foo', new Visitor(api))];
    expect(own.text).toContain(
      '<nav class="sections" aria-label="Gosset"><a href="/gosset/">Experiments</a>',
    );
    expect(own.text).toContain('Sign out');
    expect(others.text).not.toContain('Sign out');
  });

  it.each(NOWHERE)('is JSON for other clients: %s', async (path) => {
    for (const accept of ['*/*', 'application/json', 'application/json, text/html;q=0.5', 'image/png', '']) {
      const { status, headers, text } = await visitor.get(path, { accept });
      expect([accept, status, text]).toEqual([accept, 404, '{"message":"Not Found","code":"NOT_FOUND"}']);
      expect([headers['content-type'], headers.vary]).toEqual([
        'application/json; charset=utf-8',
        'Accept, Accept-Encoding',
      ]);
    }
    const { payload } = await api.app.inject({ method: 'GET', url: path });
    expect(payload).toBe('{"message":"Not Found","code":"NOT_FOUND"}');
  });

  it.each(['/api', '/api/nothing', '/v1/x', '/ofrep/x', '/s', '/health', '/metrics/x', '/mcp/x', '/track/x'])(
    'is JSON for every client below API paths: %s',
    async (path) => {
      const { status, headers, text } = await browse(path);
      expect([status, text, headers.vary]).toEqual([
        404,
        '{"message":"Not Found","code":"NOT_FOUND"}',
        'Accept-Encoding',
      ]);
    },
  );

  it('gets 405 with an Allow header if only its method is unknown', async () => {
    const page = await browse('/logout');
    expect([page.status, page.headers.allow, page.headers.vary]).toEqual([
      405,
      'POST',
      'Accept, Accept-Encoding',
    ]);
    expect(page.text).toContain('<h1>Page not found</h1>');
    for (const [accept, type] of [
      ['*/*', 'application/json; charset=utf-8'],
      [BROWSER, 'text/html; charset=utf-8'],
    ]) {
      const { statusCode, headers } = await api.app.inject({
        method: 'PUT',
        url: '/login',
        headers: { accept },
      });
      expect([statusCode, headers.allow, headers['content-type']]).toEqual([405, 'GET, HEAD, POST', type]);
    }
  });
});

describe('a truncated URL', () => {
  it.each([
    ['/projects', '/gosset/'],
    ['/projects/', '/gosset/'],
    ['/projects/12/experiments', '/gosset/projects/12'],
    ['/projects/12/experiments/?page=2', '/gosset/projects/12'],
    ['/settings', '/gosset/settings/api-tokens'],
  ])('redirects browsers to the page that it belongs to: %s', async (path, expected) => {
    const { status, location, headers } = await browse(path);
    expect([status, location, headers.vary]).toEqual([303, expected, 'Accept, Accept-Encoding']);
    expect((await visitor.get(path, { accept: '*/*' })).text).toBe(
      '{"message":"Not Found","code":"NOT_FOUND"}',
    );
    const sent = await visitor.post(path, {}, { accept: BROWSER });
    expect([sent.status, sent.location]).toEqual([404, undefined]);
  });

  it.each(['//projects', '//evil.example/projects', '/projects/%2f%2fevil.example/experiments'])(
    'never redirects to another server: %s',
    async (path) => {
      const { status, location } = await browse(path);
      expect([status, location]).toEqual([404, undefined]);
    },
  );
});
