import { fetchPort, UnreachableError } from './fetch-port';

describe('fetchPort', () => {
  const call = fetchPort({ url: 'http://127.0.0.1:9', token: 'gos_x' });
  const failure = (headers: Record<string, string>): Promise<unknown> =>
    call({ method: 'PATCH', path: '/teams', headers }).catch((error: unknown) => error);

  it('does not blame the server for an invalid request', async () => {
    const error = await failure({ 'if-match': '\u2713' });
    expect(String(error)).toMatch(/^TypeError: .*ByteString/);
    expect(error).not.toBeInstanceOf(UnreachableError);
  });

  it('reports the server if it is unreachable', async () => {
    expect(await failure({ 'if-match': '"1"' })).toBeInstanceOf(UnreachableError);
  });
});
