import { createRequire } from 'node:module';
import type * as Argon2 from '@node-rs/argon2';
import { MAX_KEYS, WINDOW_MS, WindowThrottlerStorage } from '../../src/platform/rate-limit/rate-window';
import { TestApi } from '../support/api';
import { nextAddress, PageAnswer, PASSWORD, signedIn, signer, Visitor } from '../support/visitor';

/* Limits on failed sign-in attempts. */

/** The module instance that the server uses; an import would create a copy, which the spy would not affect. */
const argon2 = createRequire(__filename)('@node-rs/argon2') as typeof Argon2;
const compare = argon2.verify;
const compared = new Map<string, Promise<boolean>>();
/** Caches password comparisons, because they take most of the test time. */
const verify = jest.spyOn(argon2, 'verify').mockImplementation((hash, password, ...others) => {
  const pair = JSON.stringify([hash, password]);
  const result = compared.get(pair) ?? compare(hash, password, ...others);
  compared.set(pair, result);
  return result;
});
afterAll(() => verify.mockRestore());

const PER_USER = 5;
const PER_USER_FROM_ALL = 50;
const PER_ADDRESS = 20;
const REDIS_URL = process.env.TEST_REDIS_URL;

let api: TestApi;
beforeAll(async () => {
  api = await TestApi.start({ TRUST_PROXY: '127.0.0.1' });
});
afterAll(() => api.close());

/** Makes sequential sign-in attempts, each in a separate browser. */
async function guess(
  server: TestApi,
  emails: readonly string[],
  addressOf: () => string,
): Promise<PageAnswer[]> {
  const answers: PageAnswer[] = [];
  for (const email of emails) {
    const browser = new Visitor(server, { 'x-forwarded-for': addressOf() });
    answers.push(await browser.submit('/login', { email, password: 'a wrong password' }));
  }
  return answers;
}

const statuses = (answers: PageAnswer[]): number[] => answers.map(({ status }) => status);
const times = <T>(count: number, value: T): T[] => Array<T>(count).fill(value);
const strangers = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `stranger-${index}@example.com`);

describe('brute force protection', () => {
  it('limits attempts per client and e-mail address, regardless of letter case and surrounding spaces', async () => {
    const [{ email }, address] = [await signer(api), nextAddress()];
    const spellings = [email, email.toUpperCase(), ` ${email}`, email, email, email];
    const answers = await guess(api, spellings, () => address);
    expect(statuses(answers)).toEqual([...times(PER_USER, 422), 429]);
    const { headers, text } = answers[PER_USER];
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    expect(Number(headers['retry-after'])).toBeLessThanOrEqual(60);
    expect(text).toContain(`Too many attempts. Try again in ${headers['retry-after']} second`);
    expect(text).toMatch(/role="alert"/);
    const right = await new Visitor(api, { 'x-forwarded-for': address }).signIn({ email });
    expect(right.status).toBe(429);
  });

  it('does not prevent other clients from signing in', async () => {
    const [{ email }, address] = [await signer(api), nextAddress()];
    await guess(api, times(PER_ADDRESS + 1, email), () => address);
    const right = await new Visitor(api, { 'x-forwarded-for': nextAddress() }).signIn({ email });
    expect(right.status).toBe(303);
  });

  it('does not prevent other users at the same client address from signing in', async () => {
    const [{ email }, colleague, address] = [await signer(api), await signer(api), nextAddress()];
    const answers = await guess(api, times(PER_ADDRESS + 1, email), () => address);
    expect(statuses(answers)).toEqual([...times(PER_USER, 422), ...times(PER_ADDRESS + 1 - PER_USER, 429)]);
    const right = await new Visitor(api, { 'x-forwarded-for': address }).signIn(colleague);
    expect(right.status).toBe(303);
  });

  it('limits attempts per e-mail address across all clients', async () => {
    const { email } = await signer(api);
    const answers = await guess(api, times(PER_USER_FROM_ALL + 1, email), nextAddress);
    expect(statuses(answers)).toEqual([...times(PER_USER_FROM_ALL, 422), 429]);
    const right = await new Visitor(api, { 'x-forwarded-for': nextAddress() }).signIn({ email });
    expect(right.status).toBe(429);
  });

  it('also limits attempts for unknown e-mail addresses', async () => {
    const address = nextAddress();
    const answers = await guess(api, times(PER_USER + 1, 'none@example.com'), () => address);
    expect(statuses(answers)).toEqual([...times(PER_USER, 422), 429]);
    const email = 'nobody-either@example.com';
    const fromAll = await guess(api, times(PER_USER_FROM_ALL + 1, email), nextAddress);
    expect(statuses(fromAll)).toEqual([...times(PER_USER_FROM_ALL, 422), 429]);
  });

  it('limits attempts per client address across all users, without hashing above the limit', async () => {
    const address = nextAddress();
    const answers = await guess(api, strangers(PER_ADDRESS), () => address);
    expect(statuses(answers)).toEqual(times(PER_ADDRESS, 422));
    expect(verify).toHaveBeenCalled();
    verify.mockClear();
    const { email } = await signer(api);
    const further = await guess(api, times(PER_USER + 1, email), () => address);
    expect(statuses(further)).toEqual(times(PER_USER + 1, 429));
    expect(verify).not.toHaveBeenCalled();
    // Requests that are rejected by the address limit do not count towards the user's limit.
    const elsewhere = await new Visitor(api, { 'x-forwarded-for': nextAddress() }).signIn({ email });
    expect(elsewhere.status).toBe(303);
  });

  it('treats all addresses of an IPv6 network as one client', async () => {
    let host = 0;
    const inNetwork = (): string => `2001:db8:7::${(host += 1)}`;
    const answers = await guess(api, strangers(PER_ADDRESS + 1), inNetwork);
    expect(statuses(answers)).toEqual([...times(PER_ADDRESS, 422), 429]);
  });

  it.each([
    ['IPv4', (port: number) => `10.200.0.1:${port}`],
    ['IPv6', (port: number) => `[2001:db8:8::1]:${port}`],
    ['IPv6 in brackets, behind two proxies', (port: number) => `[2001:db8:9::1], 127.0.0.1:${port}`],
  ])('treats all connections of a client as one even if the proxy adds ports: %s', async (_, addressOf) => {
    let port = 50_000;
    const answers = await guess(api, strangers(PER_ADDRESS + 1), () => addressOf((port += 1)));
    expect(statuses(answers)).toEqual([...times(PER_ADDRESS, 422), 429]);
  });

  it('keeps counting while requests arrive from more client addresses than the server remembers', async () => {
    const { email } = await signer(api);
    const answers = await guess(api, times(PER_USER_FROM_ALL, email), nextAddress);
    const hits = api.app.get(WindowThrottlerStorage, { strict: false });
    for (let index = 0; index <= MAX_KEYS; index += 1) {
      await hits.increment(`address:2001:db8:${index.toString(16)}::/64`, WINDOW_MS, 60);
    }
    const [another] = await guess(api, [email], nextAddress);
    expect(statuses([...answers, another])).toEqual([...times(PER_USER_FROM_ALL, 422), 429]);
  });

  it('does not count successful sign-ins', async () => {
    const [person, address] = [await signer(api), nextAddress()];
    for (let time = 0; time < PER_ADDRESS + 1; time += 1) {
      const { status } = await new Visitor(api, { 'x-forwarded-for': address }).signIn(person);
      expect(status).toBe(303);
    }
  });

  it('limits password confirmations in a session', async () => {
    const { visitor } = await signedIn(api);
    const fields = {
      current: 'a wrong password',
      password: 'another password',
      repeated: 'another password',
    };
    const found: number[] = [];
    for (let time = 0; time <= PER_USER; time += 1) {
      found.push((await visitor.submit('/settings/password', fields)).status);
    }
    expect(found).toEqual([...times(PER_USER, 422), 429]);
    const right = await visitor.submit('/settings/password', { ...fields, current: PASSWORD });
    expect([right.status, Number(right.headers['retry-after']) > 0]).toEqual([429, true]);
  });
});

(REDIS_URL === undefined ? describe.skip : describe)('brute force protection with Redis', () => {
  it('limits attempts across all processes', async () => {
    const environment = { TRUST_PROXY: '127.0.0.1', REDIS_URL: REDIS_URL ?? '' };
    const one = await TestApi.start(environment);
    const other = await one.sibling(environment);
    const email = `${Date.now()}-${process.pid}@example.com`;
    // Counts in Redis outlive a test run, so each run needs new addresses.
    const anyAddress = (): string =>
      `10.9.${Math.floor(Math.random() * 256)}.${Math.floor(Math.random() * 256)}`;
    const address = anyAddress();
    const found = [
      ...statuses(await guess(one, times(3, email), () => address)),
      ...statuses(await guess(other, times(3, email), () => address)),
    ];
    const half = (PER_USER_FROM_ALL - PER_USER + 1) / 2;
    const fromAll = [
      ...statuses(await guess(one, times(half, email), anyAddress)),
      ...statuses(await guess(other, times(half, email), anyAddress)),
    ];
    await other.close();
    await one.close();
    expect(found).toEqual([...times(PER_USER, 422), 429]);
    expect(fromAll).toEqual([...times(PER_USER_FROM_ALL - PER_USER, 422), 429]);
  });
});
