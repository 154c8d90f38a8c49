import { setTimeout as sleep } from 'node:timers/promises';
import { loadConfig } from '../../src/config/config';
import { Database, Tx } from '../../src/database/database';
import { entities } from '../../src/entities';
import { createTestDatabase, engine, TestDatabase } from '../support/engine';

const COUNT = 50;
const INSERT =
  'INSERT INTO teams (name, name_search, projects_version, created_at, updated_at) VALUES (?, ?, 1, 1, 1)';

describe('transactions', () => {
  let store: TestDatabase;
  let database: Database;

  beforeEach(async () => {
    store = await createTestDatabase();
    database = await Database.open(loadConfig({ DATABASE_URL: store.url }).database, entities);
    await database.migrate();
  });

  afterEach(async () => {
    await database.onApplicationShutdown();
    await store.remove();
  });

  async function names(): Promise<string[]> {
    const rows: { name: string }[] = await database.read.query('SELECT name FROM teams ORDER BY id');
    return rows.map(({ name }) => name);
  }

  /** Makes two inserts with pauses, so transactions would interleave if they could. */
  async function insertTwice(tx: Tx, name: string): Promise<void> {
    await tx.query(INSERT, [`${name} first`, name]);
    await sleep(1);
    await tx.query(INSERT, [`${name} second`, name]);
    await sleep(1);
  }

  it('of several services that run together are merged into one', async () => {
    const addTo = (name: string): Promise<void> => database.transaction((tx) => insertTwice(tx, name));
    const both = async (): Promise<void> => {
      await addTo('a');
      await addTo('b');
    };
    const failing = (): Promise<void> => both().then(() => Promise.reject(new Error('rolled back')));
    await expect(database.together(failing)).rejects.toThrow('rolled back');
    expect(await names()).toEqual([]);
    await database.together(both);
    expect(await names()).toEqual(['a first', 'a second', 'b first', 'b second']);
  });

  it('are isolated: if half of 50 are rolled back, the other half is stored completely', async () => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: COUNT }, (_, index) =>
        database.transaction(async (tx) => {
          await insertTwice(tx, `team ${index}`);
          if (index % 2 === 1) {
            throw new Error('rolled back');
          }
        }),
      ),
    );
    expect(outcomes.map(({ status }) => status === 'fulfilled')).toEqual(
      Array.from({ length: COUNT }, (_, index) => index % 2 === 0),
    );
    const expected = Array.from({ length: COUNT / 2 }, (_, index) => [
      `team ${index * 2} first`,
      `team ${index * 2} second`,
    ]);
    expect((await names()).sort()).toEqual(expected.flat().sort());
  });

  it('show readers only committed data', async () => {
    let isReading = true;
    let isDone = false;
    const seen = new Set<number>();
    const addAll = (): Promise<unknown> =>
      Promise.allSettled(
        Array.from({ length: COUNT }, (_, index) =>
          database.transaction(async (tx) => {
            await insertTwice(tx, `team ${index}`);
            if (index % 2 === 1) {
              throw new Error('rolled back');
            }
          }),
        ),
      );
    // Writes until the reader has come in between, because a slow reader may see only the end.
    const writeUntilSeen = async (): Promise<void> => {
      do {
        await addAll();
      } while (isReading && seen.size < 2);
      isDone = true;
    };
    const writing = writeUntilSeen();
    try {
      while (!isDone) {
        await sleep(1);
        const found = await names();
        seen.add(found.length);
        expect(found.filter((name) => Number(name.split(' ')[1]) % 2 === 1)).toEqual([]);
        expect(found.length % 2).toBe(0);
      }
    } finally {
      isReading = false;
      await writing;
    }
  });

  it('cannot be nested', async () => {
    const nested = database.transaction(() => database.transaction(() => Promise.resolve()));
    await expect(nested).rejects.toThrow('inside another one');
  });

  it('can be rolled back on request, several together, and still return their results', async () => {
    const add = async (name: string): Promise<string> =>
      database.transaction(async (tx) => {
        await insertTwice(tx, name);
        return name;
      });
    const takenBack = database.rollingBack(async () => [await add('a'), await add('b')]);
    const stored = add('c');
    expect([await takenBack, await stored]).toEqual([['a', 'b'], 'c']);
    expect(await names()).toEqual(['c first', 'c second']);
  });

  it('can end with an additional statement, and are committed or rolled back with it', async () => {
    const ending = (name: string) => async (tx: Tx, result: unknown) => {
      await tx.query(INSERT, [name, String(result)]);
    };
    const add = () => database.transaction((tx) => insertTwice(tx, 'a').then(() => 'done'));
    expect(await database.endingWith(ending('last'), add)).toBe('done');
    expect(await names()).toEqual(['a first', 'a second', 'last']);
    const failing = database.endingWith(() => Promise.reject(new Error('no')), add);
    await expect(failing).rejects.toThrow('no');
    expect(await names()).toHaveLength(3);
  });

  it('are possible after a failed transaction', async () => {
    await expect(database.transaction((tx) => tx.query('SELECT nothing FROM nowhere'))).rejects.toThrow();
    await database.transaction((tx) => tx.query(INSERT, ['after', 'after']));
    expect(await names()).toEqual(['after']);
  });

  it('do not prevent a second process from writing', async () => {
    const other = await Database.open(loadConfig({ DATABASE_URL: store.url }).database, entities);
    const readThenWrite = (of: Database, name: string) =>
      of.transaction(async (tx) => {
        await tx.query('SELECT COUNT(*) FROM teams');
        await tx.query(INSERT, [name, name]);
      });
    for (let round = 0; round < COUNT; round += 1) {
      await Promise.all([readThenWrite(database, `a ${round}`), readThenWrite(other, `b ${round}`)]);
    }
    expect(await names()).toHaveLength(2 * COUNT);
    await other.onApplicationShutdown();
  });

  it('are the only way to write', async () => {
    const write = database.read.query(INSERT, ['outside', 'outside']);
    if (engine === 'sqlite') {
      await expect(write).rejects.toThrow('readonly');
    } else {
      await expect(write).resolves.toBeDefined();
    }
  });
});
