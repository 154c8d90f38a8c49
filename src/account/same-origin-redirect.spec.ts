import { sameOriginPath } from './same-origin-redirect';

describe('sameOriginPath', () => {
  it.each([
    ['/settings/api-tokens', '/settings/api-tokens'],
    ['/settings/api-tokens/7/revoke?a=b&c=%2F%2Fd', '/settings/api-tokens/7/revoke?a=b&c=%2F%2Fd'],
    ['/', '/'],
    ['/a/../b', '/b'],
    ['/a#b', '/a'],
    ['/@evil.example', '/@evil.example'],
    ['/loginx', '/loginx'],
  ])('accepts %s', (text, expected) => expect(sameOriginPath(text)).toBe(expected));

  it.each([
    undefined,
    '',
    'settings',
    'https://evil.example/',
    'javascript:alert(1)',
    '//evil.example',
    '///evil.example',
    '/\\evil.example',
    '/.//evil.example',
    '/a/..//evil.example',
    '/%2e//evil.example',
    '/\tevil',
    '/\t/evil.example',
    '/a\r\nSet-Cookie: a=b',
    '/ö',
    '/login?next=/login',
    '/logout',
    '/a/../login',
  ])('rejects %j', (text) => expect(sameOriginPath(text)).toBeNull());
});
