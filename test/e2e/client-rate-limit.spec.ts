import { createGosset, Gosset, GossetOptions, ok } from '../../clients/typescript/src/index';
import { UsersService } from '../../src/users/users.service';
import type { Person, TestApi } from '../support/api';
import { failureOf, intercepting, later, skipWaiting } from '../support/fetches';
import { startLive } from '../support/live-server';

/* How the typed client waits and retries after 429. */

let api: TestApi;
let person: Person;

beforeAll(async () => {
  api = await startLive();
  person = await api.person();
});
afterAll(() => api.close());
afterEach(() => jest.restoreAllMocks());

const clientFor = ({ token }: Person, options: Partial<GossetOptions> = {}): Gosset =>
  createGosset({ url: `${api.config.publicUrl}/`, token, ...options });

describe('a rate-limited request', () => {
  it('is retried after the time in Retry-After', async () => {
    const limited = await api.person(1);
    const { fetch, requests } = intercepting(() => undefined);
    const client = clientFor(limited, { fetch });
    expect(await ok(client.GET('/api/teams'))).toEqual([]);
    const { headers } = await globalThis.fetch(`${api.config.publicUrl}/api/teams`, {
      headers: { authorization: `Bearer ${limited.token}` },
    });
    const waits = skipWaiting(async () => {
      await new UsersService(api.database).setRateLimit(limited.id, 0, 'admin');
      await untilLimitIsLifted(limited);
    });
    expect(await ok(client.GET('/api/teams'))).toEqual([]);
    expect(waits).toHaveLength(1);
    expect(Math.abs(Number(headers.get('retry-after')) - (waits[0] ?? 0))).toBeLessThanOrEqual(1);
    expect(requests).toHaveLength(3);
  });

  /** Waits until the server applies the new limit. It caches users for a few seconds. */
  async function untilLimitIsLifted({ token }: Person): Promise<void> {
    for (;;) {
      const { status } = await api.as(token).get('/teams');
      if (status !== 429) {
        return;
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  it('is not retried more often than configured', async () => {
    skipWaiting();
    const { fetch, requests } = intercepting(() => later(429, '7'));
    const error = await failureOf(ok(clientFor(person, { fetch, retries: 2 }).GET('/api/teams')));
    expect([error.status, requests.length]).toEqual([429, 3]);
  });

  it('is not retried if the delay in Retry-After is too long', async () => {
    const { fetch, requests } = intercepting(() => later(429, '61'));
    const error = await failureOf(ok(clientFor(person, { fetch }).GET('/api/teams')));
    expect([error.status, requests.length]).toEqual([429, 1]);
  });

  const NOW = Date.parse('1994-11-06T08:49:07Z');

  it.each(['Sun, 06 Nov 1994 08:49:37 GMT', 'Sunday, 06-Nov-94 08:49:37 GMT', 'Sun Nov  6 08:49:37 1994'])(
    'is retried at the date in Retry-After: %s',
    async (date) => {
      jest.spyOn(Date, 'now').mockReturnValue(NOW);
      const waits = skipWaiting();
      const { fetch } = intercepting((sent) => (sent === 1 ? later(429, date) : Response.json([])));
      expect(await ok(clientFor(person, { fetch }).GET('/api/teams'))).toEqual([]);
      expect(waits).toEqual([30]);
    },
  );

  it('is not retried if the date is too far away, and immediately if it has passed', async () => {
    jest.spyOn(Date, 'now').mockReturnValue(NOW);
    const waits = skipWaiting();
    const far = intercepting(() => later(429, 'Sun, 06 Nov 1994 08:50:37 GMT'));
    await failureOf(ok(clientFor(person, { fetch: far.fetch }).GET('/api/teams')));
    expect(far.requests).toHaveLength(1);
    const passed = intercepting((sent) =>
      sent === 1 ? later(429, 'Sun, 06 Nov 1994 08:49:06 GMT') : Response.json([]),
    );
    await ok(clientFor(person, { fetch: passed.fetch }).GET('/api/teams'));
    expect([passed.requests.length, waits]).toEqual([2, []]);
  });

  it('is not retried if the delay exceeds the range of timers, even if the caller allows it', async () => {
    const { fetch, requests } = intercepting(() => later(429, '3000000'));
    const client = clientFor(person, { fetch, maxWaitSeconds: Infinity, retries: 1 });
    expect((await failureOf(ok(client.GET('/api/teams')))).status).toBe(429);
    expect(requests).toHaveLength(1);
  });

  it.each(['soon', '-5', '1.5'])(
    'is retried as if there were no Retry-After if its value is %s',
    async (said) => {
      const waits = skipWaiting();
      const { fetch } = intercepting((sent) => (sent === 1 ? later(429, said) : Response.json([])));
      await ok(clientFor(person, { fetch }).GET('/api/teams'));
      expect(waits).toEqual([1]);
    },
  );

  it('is retried with exponential backoff without Retry-After', async () => {
    const waits = skipWaiting();
    const { fetch } = intercepting(() => Response.json({}, { status: 429 }));
    await failureOf(ok(clientFor(person, { fetch }).GET('/api/teams')));
    expect(waits).toEqual([1, 2, 4, 8]);
  });

  it.each(['before', 'during'])('is not retried if it is aborted %s the wait', async (when) => {
    const aborter = new AbortController();
    const { fetch, requests } = intercepting(() => {
      if (when === 'before') {
        aborter.abort(new Error('Enough'));
      } else {
        setImmediate(() => aborter.abort(new Error('Enough')));
      }
      return later(429, '30');
    });
    const request = clientFor(person, { fetch }).GET('/api/teams', { signal: aborter.signal });
    await expect(request).rejects.toThrow('Enough');
    expect(requests).toHaveLength(1);
  });
});
