import type { OpenAPIObject } from '@nestjs/swagger';
import { load } from 'js-yaml';
import { buildDocument } from '../../src/platform/reference/reference';
import { TestApi } from '../support/api';

/* The OpenAPI document as the server serves it, and the page that shows it. */

let api: TestApi;
let document: OpenAPIObject;

beforeAll(async () => {
  api = await TestApi.start();
  document = buildDocument(api.app, api.config);
});
afterAll(() => api.close());

describe('the served document', () => {
  const get = (address: string) => api.as(null).get(`/${address}`);

  it('is available as JSON and as YAML, without a token', async () => {
    const [json, yaml] = [await get('/docs/openapi.json'), await get('/docs/openapi.yaml')];
    expect([json.status, yaml.status]).toEqual([200, 200]);
    expect(json.headers['content-type']).toMatch(/^application\/json/);
    expect(yaml.headers['content-type']).toMatch(/yaml/);
    const expected = JSON.parse(JSON.stringify(document)) as unknown;
    expect(json.body).toEqual(expected);
    expect(load(yaml.text)).toEqual(expected);
  });

  it.each(['/docs/openapi.json', '/docs/openapi.yaml'])(
    'is not written anew for each request of %s',
    async (url) => {
      const first = await get(url);
      const write = jest.spyOn(JSON, 'stringify');
      try {
        const second = await get(url);
        expect([second.status, second.text]).toEqual([200, first.text]);
        const documents = write.mock.calls.filter(([value]) => (value as Partial<OpenAPIObject>)?.openapi);
        expect(documents).toEqual([]);
      } finally {
        write.mockRestore();
      }
      const { etag = '' } = first.headers;
      expect(etag).toMatch(/^(?:W\/)?"[\w-]+"$/);
      const known = await api.app.inject({ url, headers: { 'if-none-match': etag } });
      expect([known.statusCode, known.body]).toEqual([304, '']);
      const changed = await api.app.inject({ url, headers: { 'if-none-match': '"other"' } });
      expect(changed.statusCode).toBe(200);
    },
  );

  it.each(['/docs', '/docs/'])('at %s is a page without resources from other servers', async (address) => {
    const { status, headers, text } = await get(address);
    expect([status, headers['content-type']]).toEqual([200, expect.stringMatching(/^text\/html/)]);
    const parts = [...text.matchAll(/(?:src|href)="([^"#][^"]*)"/g)].map(([, part = '']) => part);
    expect(parts.length).toBeGreaterThanOrEqual(4);
    expect(parts.filter((part) => /^(?:\w+:)?\/\//.test(part))).toEqual([]);
    for (const part of parts) {
      const { pathname } = new URL(part, `https://ab.example.com${address}`);
      const answer = await get(pathname);
      // The link back to the console redirects, because the test is not signed in.
      const isHome = /^\.{1,2}\/$/.test(part);
      expect([part, answer.status, answer.text.length > 100]).toEqual([part, isHome ? 303 : 200, !isHome]);
    }
    expect(text).not.toMatch(/<script(?![^>]*\ssrc=)[^>]*>/);
  });

  it.each(['/docs', '/docs/', '/docs/swagger-ui.css', '/docs/openapi.json'])(
    '%s can load nothing from other servers',
    async (address) => {
      const policy = (await get(address)).headers['content-security-policy'] ?? '';
      const directives = Object.fromEntries(
        policy.split('; ').map((rule) => [rule.split(' ')[0], rule.split(' ').slice(1)]),
      );
      expect(directives).toMatchObject({
        'default-src': ["'none'"],
        'script-src': ["'self'"],
        'connect-src': ["'self'"],
        'frame-ancestors': ["'none'"],
      });
      expect(policy).not.toMatch(/https?:|\*/);
    },
  );

  it.each(['/api/teams', '/health/live', '/nothing', '/docsx'])(
    '%s cannot load anything',
    async (address) => {
      const { headers } = await get(address);
      expect(headers['content-security-policy']).toBe("default-src 'none'; frame-ancestors 'none'");
      expect(headers['x-content-type-options']).toBe('nosniff');
    },
  );

  it('sends requests to the origin of the page, even if it is not the public URL', async () => {
    const { text } = await get('/docs/swagger-ui-init.js');
    const [, servers = ''] = /"servers": (\[[^\]]*\])/.exec(text) ?? [];
    expect(JSON.parse(servers)).toEqual([{ url: '/' }, { url: 'https://ab.example.com' }]);
  });

  it('supports authorization', async () => {
    const { text } = await get('/docs/swagger-ui-init.js');
    expect(text).toContain('"securitySchemes"');
    expect(text).toContain('"persistAuthorization": true');
  });
});
