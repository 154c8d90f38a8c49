import type { Database } from '../database/database';
import { ClientKeys } from './client-keys';
import { ClientKeyStore } from './client-keys.store';

type Answer = () => Promise<object[]>;

const ROW = { client_key: 'pk_a', id: 7, allowed_origins: '["https://a.example"]', events_per_minute: 5 };
const PROJECT = { projectId: 7, allowedOrigins: ['https://a.example'], eventsPerMinute: 5 };
const never: Answer = () => new Promise(() => undefined);
const failing: Answer = () => Promise.reject(new Error('no database'));

let now: number;
let answer: Answer;
let queries: number;
let keys: ClientKeys;

beforeEach(() => {
  now = 1_000_000;
  jest.spyOn(performance, 'now').mockImplementation(() => now);
  answer = () => Promise.resolve([ROW]);
  queries = 0;
  const query = (): Promise<object[]> => {
    queries += 1;
    return answer();
  };
  keys = new ClientKeys(new ClientKeyStore({ delivery: { query } } as unknown as Database));
});
afterEach(() => jest.restoreAllMocks());

describe('client keys', () => {
  it('are looked up once for concurrent callers, and at most once a second', async () => {
    expect(await Promise.all([keys.find('pk_a'), keys.find('pk_a')])).toEqual([PROJECT, PROJECT]);
    now += 999;
    expect([await keys.find('pk_a'), queries]).toEqual([PROJECT, 1]);
    now += 1;
    answer = () => Promise.resolve([{ ...ROW, allowed_origins: null }]);
    expect([await keys.find('pk_a'), queries]).toEqual([{ ...PROJECT, allowedOrigins: null }, 2]);
  });

  it('are looked up again after a second, even if the clock was set back', async () => {
    await keys.find('pk_a');
    now += 1_000;
    jest.spyOn(Date, 'now').mockReturnValue(0);
    await keys.find('pk_a');
    expect(queries).toBe(2);
  });

  it('keep their last known project while the database fails or does not respond', async () => {
    await keys.find('pk_a');
    for (const trouble of [failing, never]) {
      now += 1_000;
      answer = trouble;
      expect(await Promise.all([keys.find('pk_a'), keys.findSoon('pk_a')])).toEqual([PROJECT, PROJECT]);
    }
  });

  it('that are not cached are read from the database, unless the caller cannot wait', async () => {
    answer = failing;
    await expect(keys.find('pk_a')).rejects.toThrow('no database');
    expect(await keys.findSoon('pk_a')).toBeUndefined();
    answer = never;
    expect(await keys.findSoon('pk_a')).toBeUndefined();
  });

  it('that are unknown are not cached, and malformed ones are not looked up', async () => {
    expect([await keys.find('pk_b'), await keys.find('pk_b'), queries]).toEqual([null, null, 2]);
    expect([await keys.find("' OR 1=1"), await keys.find(''), queries]).toEqual([null, null, 2]);
  });

  it('are looked up again after their project changes', async () => {
    await keys.find('pk_a');
    keys.forget(8);
    await keys.find('pk_a');
    expect(queries).toBe(1);
    keys.forget(7);
    await keys.find('pk_a');
    expect(queries).toBe(2);
  });

  it('are not cached if their project changes during the lookup', async () => {
    let release = (): void => undefined;
    const rows = new Promise<object[]>((resolve) => (release = () => resolve([ROW])));
    answer = () => rows;
    const before = keys.find('pk_a');
    keys.forget(7);
    release();
    expect(await before).toEqual(PROJECT);
    answer = () => Promise.resolve([{ ...ROW, allowed_origins: null }]);
    expect(await keys.find('pk_a')).toEqual({ ...PROJECT, allowedOrigins: null });
  });
});
