import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { TestApi } from '../support/api';
import { signedIn } from '../support/visitor';

/* Page compression. */

let api: TestApi;
let cookie: string;
beforeAll(async () => {
  api = await TestApi.start({ TRUST_PROXY: '127.0.0.1' });
  const { visitor } = await signedIn(api);
  cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
});
afterAll(() => api.close());

const get = (url: string, encoding?: string) =>
  api.app.inject({
    url,
    headers: { accept: 'text/html', cookie, ...(encoding !== undefined && { 'accept-encoding': encoding }) },
  });

const DECODED = { br: brotliDecompressSync, gzip: gunzipSync } as const;
const PAGES = [
  ['/settings/api-tokens', 200, 'Accept-Encoding'],
  ['/settings/api-tokens/999/revoke', 404, 'Accept-Encoding'],
  ['/nowhere', 404, 'Accept, Accept-Encoding'],
] as const;

it.each(PAGES)('%s sets Vary and is smaller when compressed', async (path, status, vary) => {
  const plain = await get(path);
  expect([plain.statusCode, plain.headers.vary, plain.headers['content-encoding']]).toEqual([
    status,
    vary,
    undefined,
  ]);
  for (const coding of ['br', 'gzip'] as const) {
    const { statusCode, headers, rawPayload } = await get(path, `${coding};q=0.8, identity;q=0.1`);
    expect([statusCode, headers.vary, headers['content-encoding']]).toEqual([status, vary, coding]);
    expect(Number(headers['content-length'])).toBe(rawPayload.length);
    expect(rawPayload.length).toBeLessThan(plain.rawPayload.length / 2);
    const [title] = /<h1>[^<]+/.exec(DECODED[coding](rawPayload).toString()) ?? [];
    expect(plain.payload).toContain(title);
  }
});

it('pages have a different CSRF token every time, so that response lengths reveal nothing about it', async () => {
  const tokens = new Set<string>();
  for (let time = 0; time < 3; time += 1) {
    const text = brotliDecompressSync((await get('/settings/password', 'br')).rawPayload).toString();
    const found = [...text.matchAll(/name="form_token" value="([^"]+)"/g)].map(([, token]) => token);
    expect(new Set(found).size).toBe(1);
    tokens.add(found[0]);
  }
  expect(tokens.size).toBe(3);
});

it('pages are not compressed for requests from another site, which could guess secrets from their length', async () => {
  const from = async (site: string, cookies?: string): Promise<string | undefined> => {
    const headers = { accept: 'text/html', 'accept-encoding': 'br', 'sec-fetch-site': site };
    const sent = { ...headers, ...(cookies !== undefined && { cookie: cookies }) };
    const answer = await api.app.inject({ url: '/settings/password', headers: sent });
    return answer.headers['content-encoding'];
  };
  expect([await from('cross-site', cookie), await from('same-origin', cookie)]).toEqual([undefined, 'br']);
  expect(await from('none', cookie)).toBe('br');
});
