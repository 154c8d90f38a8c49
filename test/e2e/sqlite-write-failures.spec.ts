import { setTimeout as sleep } from 'node:timers/promises';
import type { Tx } from '../../src/database/database';
import { checkReadiness } from '../../src/database/readiness';
import type { TestApi } from '../support/api';
import { engine } from '../support/engine';
import { Deliver, expectStoredAndCountedOnce, Ledger } from '../support/ledger';
import { Made, useScene } from '../support/scene';
import { failForGood, rollBackAndFail, SqliteFaults, sqliteError } from '../support/sqlite-faults';
import { statementsDuring } from '../support/statements';
import { until } from '../support/waiting';

const BATCHES = 30;
const INSERT =
  'INSERT INTO teams (name, name_search, projects_version, created_at, updated_at) VALUES (?, ?, 1, 1, 1)';

const onSqlite = engine === 'sqlite' ? describe : describe.skip;

onSqlite('when SQLite cannot write', () => {
  const scene = useScene();
  let key: string;
  let experiment: Made;
  let faults: SqliteFaults;
  let other: TestApi;
  const ledgers: Ledger[] = [];

  beforeAll(async () => {
    key = (await scene.client.get(scene.project)).body.client_key as string;
    const goal = await scene.make.goal({ name: 'Sale', value_type: 'revenue' });
    experiment = await scene.make.withStatus('running', { goals: [goal.id] });
    faults = new SqliteFaults(scene.api);
    other = await scene.api.sibling();
    await recovered();
  });

  afterAll(() => other.close());

  const deliver: Deliver = async (batch) => {
    const { status, body } = await scene.api.as(null).post('//v1/batch', { writeKey: key, batch });
    return { status, accepted: (body as { accepted?: number }).accepted };
  };
  const newLedger = (visitors?: number): Ledger => {
    const ledger = new Ledger(experiment, visitors);
    ledgers.push(ledger);
    return ledger;
  };
  const ready = () => scene.client.get('//health/ready');
  const createGoal = (name: string) => scene.client.post(`${scene.project}/goals`, { name });
  const namesIn = async (api: TestApi, table: string): Promise<string[]> => {
    const rows: { name: string }[] = await api.database.read.query(`SELECT name FROM ${table} ORDER BY id`);
    return rows.map(({ name }) => name);
  };

  afterEach(() => faults.limitPages(null));

  const recovered = (): Promise<void> => until(async () => (await ready()).status === 200, 'readiness');

  /** Asserts that neither the connection nor TypeORM is in a transaction. */
  function expectNoTransaction(): void {
    expect(faults.connection.inTransaction).toBe(false);
    const runner = scene.api.database.writer.createQueryRunner() as unknown as Record<string, unknown>;
    expect([runner.isTransactionActive, runner.transactionDepth]).toEqual([false, 0]);
  }

  it('the server syncs every commit to the disk, to survive a power failure', () => {
    const SYNC_FULL = 2;
    expect(faults.connection.pragma('synchronous', { simple: true })).toBe(SYNC_FULL);
  });

  describe('on a full disk', () => {
    it('the server acknowledges only stored events, and recovers automatically when there is space', async () => {
      const ledger = newLedger(40);
      expect(await ledger.send(deliver)).toBe(200);
      faults.limitPages(40);
      const statuses: number[] = [];
      for (let batch = 0; batch < BATCHES; batch += 1) {
        statuses.push(await ledger.send(deliver));
      }
      expect([...new Set(statuses)].sort()).toEqual([200, 503]);
      expect(statuses.at(-1)).toBe(503);
      expectNoTransaction();

      const unready = await ready();
      expect([unready.status, unready.body.details.database]).toEqual([
        503,
        { status: 'down', reason: expect.stringContaining('the disk is full. Free some disk space.') },
      ]);
      await expect(checkReadiness(scene.api.database)).rejects.toThrow('the disk is full');
      const refused = await createGoal('x'.repeat(200));
      expect([201, 503]).toContain(refused.status);
      expect((await namesIn(other, 'goals')).includes('x'.repeat(200))).toBe(refused.status === 201);

      // The limit applies only to this connection, so another process can write immediately.
      await other.database.transaction((tx) => tx.query(INSERT, ['of another process', '']));

      faults.limitPages(null);
      await recovered();
      expect(await ledger.send(deliver)).toBe(200);
      expect((await createGoal('After')).status).toBe(201);
      expect(await namesIn(other, 'goals')).toContain('After');
    });

    it('the server is ready after successful writes, even while another process writes', async () => {
      faults.limitPages(0);
      expect(await newLedger(40).send(deliver)).toBe(503);
      faults.limitPages(null);
      await sleep(1_100);
      // The first write begins a probe, whose two transactions run before the third write.
      for (const name of ['First', 'Second', 'Third']) {
        expect((await createGoal(name)).status).toBe(201);
      }
      const status = await other.database.transaction(async (tx) => {
        await tx.query(INSERT, ['takes long', '']);
        return (await ready()).status;
      });
      expect(status).toBe(200);
    });

    it('concurrent readiness checks share one write probe', async () => {
      faults.limitPages(0);
      expect(await newLedger(40).send(deliver)).toBe(503);
      await sleep(1_100);
      let answers: { status: number }[] = [];
      const statements = await statementsDuring(scene.api, async () => {
        answers = await Promise.all([...Array(20).keys()].map(() => ready()));
      });
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]));
      expect(statements.filter((sql) => sql.startsWith('CREATE TABLE'))).toHaveLength(1);
      faults.limitPages(null);
      await recovered();
    });
  });

  it('the server is ready during a long transaction, even before the first write probe', async () => {
    const fresh = await scene.api.sibling();
    const status = await fresh.database.transaction(async (tx) => {
      await tx.query(INSERT, ['takes long', '']);
      return (await fresh.as(null).get('//health/ready')).status;
    });
    await fresh.close();
    expect(status).toBe(200);
  });

  const COMMIT_FAULTS = [
    ['fails at COMMIT and has rolled back', rollBackAndFail('SQLITE_IOERR_WRITE')],
    ['fails to sync at COMMIT', rollBackAndFail('SQLITE_IOERR_FSYNC')],
    ['is full at COMMIT', rollBackAndFail('SQLITE_FULL')],
    ['fails at COMMIT and at ROLLBACK', failForGood('SQLITE_IOERR_WRITE')],
  ] as const;

  it.each(COMMIT_FAULTS)(
    'the server returns 503 if the disk %s, and keeps later writes',
    async (name, fault) => {
      const ledger = newLedger();
      faults.insteadOfNext('COMMIT', fault);
      expect(await ledger.send(deliver)).toBe(503);
      expectNoTransaction();
      await other.database.transaction((tx) => tx.query(INSERT, [name, '']));
      expect((await createGoal(name)).status).toBe(201);
      expect(await namesIn(other, 'goals')).toContain(name);
      expect([await ledger.send(deliver), await ledger.send(deliver)]).toEqual([200, 200]);
      await recovered();
    },
  );

  it('the server retries if another process blocks COMMIT', async () => {
    const ledger = newLedger();
    faults.insteadOfNext('COMMIT', () => {
      throw sqliteError('SQLITE_BUSY');
    });
    expect(await ledger.send(deliver)).toBe(200);
    expectNoTransaction();
  });

  it('the server stores no part of a batch if SQLite rolls back in the middle of the batch', async () => {
    const ledger = newLedger();
    faults.insteadOfNext('INSERT INTO events', rollBackAndFail('SQLITE_FULL'));
    expect(await ledger.send(deliver)).toBe(503);
    const events: unknown[] = await other.database.read.query('SELECT event_id FROM events');
    expect(events).toHaveLength(ledgers.flatMap(({ acknowledged }) => acknowledged).length);
    expect(await ledger.send(deliver)).toBe(200);
    await recovered();
  });

  it('the server runs no statement of a transaction that SQLite has rolled back', async () => {
    const half = scene.api.database.transaction(async (tx) => {
      await tx.query(INSERT, ['first half', '']);
      faults.connection.exec('ROLLBACK');
      await tx.query(INSERT, ['second half', '']);
    });
    await expect(half).rejects.toThrow('none of its changes were stored');
    const whole = scene.api.database.transaction(async (tx) => {
      await tx.query(INSERT, ['first half', '']);
      faults.connection.exec('ROLLBACK');
    });
    await expect(whole).rejects.toThrow('none of its changes were stored');
    expect((await namesIn(other, 'teams')).filter((name) => name.endsWith('half'))).toEqual([]);
    expectNoTransaction();
    await recovered();
  });

  it('the server runs no statement of a failed transaction within the next transaction', async () => {
    const { database } = scene.api;
    const late = async (tx: Tx): Promise<void> => {
      await sleep(50);
      await tx.query(INSERT, ['late', '']);
    };
    let tail: Promise<void> = Promise.resolve();
    const failing = database.transaction(async (tx) => {
      tail = late(tx);
      await Promise.all([tail, tx.query('SELECT nothing FROM nowhere')]);
    });
    const next = database.transaction(async (tx) => {
      await tx.query(INSERT, ['next', '']);
      await sleep(100);
    });
    await expect(failing).rejects.toThrow('syntax error');
    await expect(tail).rejects.toThrow('none of its changes were stored');
    await next;
    const names = await namesIn(other, 'teams');
    expect([names.includes('next'), names.includes('late')]).toEqual([true, false]);
  });

  it('the server remains unready if the file is corrupt, even with free disk space', async () => {
    const damaged = await scene.api.sibling();
    new SqliteFaults(damaged).insteadOfNext('COMMIT', rollBackAndFail('SQLITE_CORRUPT'));
    await expect(
      damaged.database.transaction((tx) => tx.query(INSERT, ['in a damaged file', ''])),
    ).rejects.toThrow('SQLITE_CORRUPT');
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const answer = await damaged.as(null).get('//health/ready');
      expect([answer.status, answer.body.message, answer.body.details.database.reason]).toEqual([
        503,
        'Service Unavailable',
        expect.stringContaining('restore the file from a backup'),
      ]);
      await sleep(1_100);
    }
    await damaged.close();
  });

  /** Another process reads the file, like a process after a restart. */
  it('the file contains all acknowledged events of these tests, and each is counted once', () =>
    expectStoredAndCountedOnce(other, ledgers));
});
