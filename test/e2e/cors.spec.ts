import { RouteTable } from '../../src/common/http/route-table';
import { TestApi } from '../support/api';

/* CORS headers of requests that no route handles. Without these headers, browsers hide the responses from the page. */

let api: TestApi;
beforeAll(async () => {
  api = await TestApi.start();
});
afterAll(() => api.close());

const PAGE = 'https://shop.example';

async function answerTo(url: string, method: 'GET' | 'PUT' = 'GET'): Promise<[number, unknown, unknown]> {
  const { statusCode, headers } = await api.app.inject({ method, url, headers: { origin: PAGE } });
  return [statusCode, headers['access-control-allow-origin'], headers['cross-origin-resource-policy']];
}

describe('a delivery URL without a route', () => {
  it.each([
    '/v1/%ff',
    '/v1/batch/%zz',
    '/s/%ff.js',
    '/s/%zz/1.js',
    '/sub/%ff',
    '/api/features/%zz',
    '/api/eval/%ff',
    '/ofrep/v1/evaluate/flags/%ff',
    `/s/${'x'.repeat(2_000)}.js`,
    '/v1/nowhere',
    '/ofrep/v2',
    '/s/a/b/c/d',
    '/api/features/a/b',
  ])('is 404 with CORS headers for any site: %.40s', async (url) => {
    expect(await answerTo(url)).toEqual([404, '*', 'cross-origin']);
  });

  it('is 405 with CORS headers for any site if the method is wrong', async () => {
    const keyed = api.app.get(RouteTable).routes.filter(({ access }) => access === 'client-key');
    const urls = [...new Set(keyed.map(({ path }) => path.replace(/:\w+/g, 'a')))];
    expect(urls.length).toBeGreaterThan(10);
    for (const url of urls) {
      expect([url, ...(await answerTo(url, 'PUT'))]).toEqual([url, 405, '*', 'cross-origin']);
    }
  });
});

it.each(['/%zz', '/api/%ff', '/api/nowhere', '/share/%zz', '/docs/nowhere', '/sales/%ff', '/v10/%ff'])(
  '%s is 404 without CORS headers',
  async (url) => {
    expect(await answerTo(url)).toEqual([404, undefined, 'same-origin']);
  },
);
