import Fastify from 'fastify';
import type { Logger } from 'pino';
import { loggedAddress, logRequests } from './request-log';

it.each([
  ['/share/pVQ3n0cWm1wzXJkYx5uTt8Zb6qRd2sGh4fLjKaEoCvI', '/share/[token]'],
  ['/share/secret?startDate=2026-05-01', '/share/[token]?startDate=2026-05-01'],
  ['/share/secret/goals/11.svg?kind=rate', '/share/[token]/goals/11.svg?kind=rate'],
  ['/login?next=%2Fshare%2Fsecret%2Fgoals', '/login?next=%2Fshare%2F[token]%2Fgoals'],
  ['/login?next=/share/secret', '/login?next=/share/[token]'],
  ['/invitation/Zk3vX0bqT5mJw8rLc2NfYh7GdPaSeUi1oKxBtR6nV4Q', '/invitation/[token]'],
  ['/api/teams/1/members/7/invitation', '/api/teams/1/members/7/invitation'],
  ['/s/pk_public/preview/1.eWcs.js', '/s/pk_public/preview/[token]'],
  ['/s/pk_public.js', '/s/pk_public.js'],
  ['/demo/products/tea-pot?gosset_preview=1.eWcs&a=b', '/demo/products/tea-pot?gosset_preview=[secret]&a=b'],
  ['/api/teams?page=2&api_token=gos_secret', '/api/teams?page=2&api_token=[secret]'],
  ['/login?email=a%40b.example&Password=hunter2', '/login?email=a%40b.example&Password=[secret]'],
  ['/api/teams/gos_secret?x=gos_secret', '/api/teams/gos_[token]?x=gos_[token]'],
  ['/api/projects/1/visitors/ann%40example.com?dry_run=1', '/api/projects/1/visitors/[visitor]?dry_run=1'],
  ['/api/projects/1/visitors', '/api/projects/1/visitors'],
  ['/v1/visitor?client_key=pk_public', '/v1/visitor?client_key=pk_public'],
  ['/%73hare/secret', '/share/[token]'],
  ['/SHARE/secret', '/SHARE/[token]'],
  ['/Invitation/secret', '/Invitation/[token]'],
  ['/S/pk_public/PREVIEW/1.eWcs.js', '/S/pk_public/PREVIEW/[token]'],
  ['/API/projects/1/VISITORS/ann', '/API/projects/1/VISITORS/[visitor]'],
  ['/share//secret', '/share//[token]'],
  ['/shar%65%2F/secret', '/share%2F/[token]'],
  ['/%69nvitation///secret', '/invitation///[token]'],
  ['/s/pk_public/%70review//1.eWcs.js', '/s/pk_public/preview//[token]'],
  ['/api/projects/1/%76isitors//ann', '/api/projects/1/visitors//[visitor]'],
  ['/api/teams?x=gos%5Fsecret', '/api/teams?x=gos_[token]'],
  ['/login?p%61ssword=hunter2', '/login?password=[secret]'],
  ['/api/teams?search=%C3%A4%20%3F%', '/api/teams?search=%C3%A4%20%3F%'],
  ['/api/teams?search=share', '/api/teams?search=share'],
  ['/api/teams?search=token', '/api/teams?search=token'],
  ['/login/oidc/callback?code=a&state=b&iss=c', '/login/oidc/callback?[secret]'],
  ['/login/oidc/callback/?code=a&state=b', '/login/oidc/callback/?[secret]'],
  ['/login/oidc/callback//?code=a&state=b', '/login/oidc/callback//?[secret]'],
  ['/login/oidc/callback/%3Fcode=a&state=b', '/login/oidc/callback/%3F[secret]'],
  ['/login/oidc/callback%3fcode=a&state=b', '/login/oidc/callback%3f[secret]'],
  ['/login%2Foidc//callback%2F?code=a&state=b', '/login%2Foidc//callback%2F?[secret]'],
  ['/login/oidc?next=/login/oidc/callback', '/login/oidc?next=/login/oidc/callback'],
  ['/v1/decide?client_key=pk_public', '/v1/decide?client_key=pk_public'],
])('%s is logged as %s', (url, logged) => {
  expect(loggedAddress(url)).toBe(logged);
});

it('truncates a very long URL', () => {
  expect(loggedAddress(`/api/teams?search=${'x'.repeat(100_000)}`)).toHaveLength(2_001);
});

it('logs a request whose client has gone, without a status', async () => {
  const info = jest.fn();
  const server = Fastify();
  logRequests(server, { info, isLevelEnabled: () => true } as unknown as Logger);
  server.get('/slow', (_request, reply) => {
    reply.raw.destroy();
    reply.raw.emit('close');
    return reply.hijack();
  });
  await expect(server.inject('/slow')).rejects.toThrow();
  await server.close();
  expect(info.mock.calls).toEqual([
    [expect.objectContaining({ url: '/slow', status: null, aborted: true }), 'request'],
  ]);
});
