import type { DataSource } from 'typeorm';
import { signal } from '../../test/support/signal';
import { FullDisk, MysqlTransactions, type ProjectWork } from './mysql-transactions';

const FAR_TOO_LONG_MS = 60_000;

const source = { transaction: (work: () => Promise<unknown>) => work() } as unknown as DataSource;
const transactions = new MysqlTransactions(source, source);

const inProject = <T>(projectId: number, projectWork: ProjectWork, work: () => Promise<T>): Promise<T> =>
  transactions.run(work, { projectId, projectWork, isCollecting: false });

/** Starts transactions that run until the signal is given. */
const hold = (count: number, work: ProjectWork, { given }: { given: Promise<void> }): Promise<void>[] =>
  Array.from({ length: count }, () => inProject(7, work, () => given));

const done = (): Promise<string> => Promise.resolve('done');

afterEach(() => jest.useRealTimers());

describe('transactions in a project on MySQL', () => {
  it('that store events do not wait for writes, and leave connections for other projects', async () => {
    const end = signal();
    const held = hold(20, 'writes', end);
    expect(await inProject(7, 'events', done)).toBe('done');
    held.push(...hold(20, 'events', end));
    expect(await inProject(8, 'writes', done)).toBe('done');
    expect(await inProject(8, 'events', done)).toBe('done');
    end.give();
    await Promise.all(held);
  });

  it.each([
    ['writes', 'The transaction has waited too long for other writes to project 7.'],
    ['events', 'The transaction has waited too long for other events from back ends for project 7.'],
  ] as const)('that wait too long for other %s fail and name the project', async (work, message) => {
    jest.useFakeTimers();
    const end = signal();
    const held = hold(3, work, end);
    const late = expect(inProject(7, work, done)).rejects.toThrow(message);
    jest.advanceTimersByTime(FAR_TOO_LONG_MS);
    await late;
    end.give();
    await Promise.all(held);
  });
});

const fail = (code: string): (() => Promise<never>) => {
  return () => Promise.reject(Object.assign(new Error('failed'), { code }));
};

describe('FullDisk', () => {
  beforeEach(() => jest.useFakeTimers());

  it.each(['ER_RECORD_FILE_FULL', 'ER_DISK_FULL'])(
    'reports %s until there is no failure for a while',
    async (code) => {
      const disk = new FullDisk();
      expect(disk.problem).toBeNull();
      await expect(disk.watch(fail(code))).rejects.toThrow('failed');
      expect(disk.problem).toContain('disk is full');
      jest.advanceTimersByTime(60_000);
      expect(disk.problem).toBeNull();
    },
  );

  it('ignores other failures, and returns results', async () => {
    const disk = new FullDisk();
    await expect(disk.watch(fail('ER_LOCK_DEADLOCK'))).rejects.toThrow('failed');
    expect([await disk.watch(() => Promise.resolve('stored')), disk.problem]).toEqual(['stored', null]);
  });
});
