import { TestApi } from '../support/api';
import { signedIn } from '../support/visitor';

/* Security headers of responses in browsers. */

const ALWAYS = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'content-security-policy': expect.stringContaining("frame-ancestors 'none'"),
  'cross-origin-resource-policy': 'same-origin',
};
const WITH_HTTPS = {
  'strict-transport-security': 'max-age=31536000',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
};
const ADDRESSES = [
  '/',
  '/login',
  '/settings/api-tokens',
  '/docs',
  '/api/teams',
  '/nowhere',
  '/api/nowhere',
  '/share/nobody',
  '/health/live',
  '/%',
];

describe.each([
  ['https://ab.example.com', WITH_HTTPS],
  ['http://ab.example.com', Object.fromEntries(Object.keys(WITH_HTTPS).map((name) => [name, undefined]))],
])('the headers of a server at %s', (publicUrl, more) => {
  let api: TestApi;
  beforeAll(async () => {
    api = await TestApi.start({ PUBLIC_URL: publicUrl, TRUST_PROXY: '127.0.0.1' });
  });
  afterAll(() => api.close());

  it('are in all responses, with or without a session, and no other origin can read the responses', async () => {
    const { visitor } = await signedIn(api);
    for (const address of ADDRESSES) {
      for (const sender of [visitor, api.as(null)]) {
        const path = sender === visitor ? address : `/${address}`;
        const { status, headers } = await sender.get(path, { origin: `${publicUrl}:3001` });
        const names = Object.keys({ ...ALWAYS, ...more });
        const found = Object.fromEntries(names.map((name) => [name, headers[name]]));
        expect([address, status, found]).toEqual([address, status, { ...ALWAYS, ...more }]);
        expect([address, headers['access-control-allow-origin']]).toEqual([address, undefined]);
      }
    }
  });
});
