import type { OpenAPIObject } from '@nestjs/swagger';
import { CLIENT_KEY_SCHEMES, WITH_ANY_CLIENT_KEY, WITH_CLIENT_KEY } from '../../common/openapi/client-key';
import { pageDocument } from './reference-page';

const DOCUMENT: OpenAPIObject = {
  openapi: '3.1.0',
  info: { title: 'Gosset', version: '1' },
  components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' }, ...CLIENT_KEY_SCHEMES } },
  paths: {
    '/api/teams': { get: { responses: {}, security: [{ bearer: [] }] } },
    '/v1/decide': { post: { responses: {}, security: WITH_CLIENT_KEY } },
    '/v1/batch': { post: { responses: {}, security: WITH_ANY_CLIENT_KEY } },
    '/health/live': { get: { responses: {}, security: [] } },
  },
};

const page = pageDocument(DOCUMENT, 'https://example.com/tools/ab');

it('supports an API token, and one client key in a header', () => {
  expect(Object.keys(page.components?.securitySchemes ?? {})).toEqual(['bearer', 'clientKey']);
  expect(page.components?.securitySchemes?.clientKey).toMatchObject({ in: 'header', name: 'X-API-Key' });
  const operations = Object.values(page.paths).map(({ get, post }) => (get ?? post)?.security);
  expect(operations).toEqual([[{ bearer: [] }], [{ clientKey: [] }], [{ clientKey: [] }, {}], []]);
});

it('sends requests to the origin of the page first', () => {
  expect(page.servers).toEqual([{ url: '/tools/ab' }, { url: 'https://example.com/tools/ab' }]);
});

it('does not change the original document', () => {
  expect(Object.keys(DOCUMENT.components?.securitySchemes ?? {})).toHaveLength(4);
});
