import { encryptionOf, hostUrls } from './database-url';

describe('a database URL', () => {
  it('names one host', () => {
    expect(hostUrls('mysql://u:p@db:3307/name')).toEqual(['mysql://u:p@db:3307/name']);
    expect(hostUrls('mysql://root@[::1]/name')).toEqual(['mysql://root@[::1]/name']);
    expect(hostUrls('mysql://db/name')).toEqual(['mysql://db/name']);
  });

  it('names several hosts, each with its own port', () => {
    expect(hostUrls('mysql://u:a,b%2F@a:3306,b:3307,c/name')).toEqual([
      'mysql://u:a,b%2F@a:3306/name',
      'mysql://u:a,b%2F@b:3307/name',
      'mysql://u:a,b%2F@c/name',
    ]);
  });

  it('can require encryption if hosts are given by name', () => {
    const url = 'mysqls://u:p@a:3306,b/name';
    expect(hostUrls(url)).toEqual(['mysql://u:p@a:3306/name', 'mysql://u:p@b/name']);
    expect([encryptionOf(url), encryptionOf('mysql://u:p@a/name')]).toEqual([
      { ssl: { verifyIdentity: true } },
      {},
    ]);
  });

  it.each([
    'mysqls://u:p@10.0.0.1/name',
    'mysqls://u:p@a,[::1]/name',
    'mysql://u@a,/name',
    'mysql://u@,a/name',
    'mysql://u@a,b',
    'mysql://a:x,b/name',
    'mysql://u:p@a,b/name?ssl={"rejectUnauthorized":true}',
    'mysql://u:p@a/name?ssl-mode=REQUIRED',
    'mysql://u:1?2@a/name',
    'mysql://u:1#2@a/name',
    'mysql://u:p@a/name/',
    'postgres://a/b',
    '',
  ])('cannot be "%s"', (value) => {
    expect(hostUrls(value)).toBeNull();
  });
});
