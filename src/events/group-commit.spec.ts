import { setImmediate as nextTurn } from 'node:timers/promises';
import { currentObserver, observing, type StatementObserver } from '../database/statement-observer';
import { GroupCommit } from './group-commit';

interface Commit {
  jobs: string[];
  finish: () => void;
  fail: () => void;
}

function start(limits: { groupSize?: number; waitingSize?: number; parallel?: number } = {}) {
  const commits: Commit[] = [];
  const commit = (jobs: string[]): Promise<string[]> =>
    new Promise((resolve, reject) => {
      const finish = (): void => resolve(jobs.map((job) => `${job} done`));
      commits.push({ jobs, finish, fail: () => reject(new Error('no database')) });
    });
  const group = new GroupCommit({ groupSize: 10, waitingSize: 20, parallel: 1, ...limits }, commit);
  return { group, commits, groups: () => commits.map(({ jobs }) => jobs.join('')) };
}

describe('GroupCommit', () => {
  it('commits jobs that arrive together as a group, and jobs that arrive during a commit with the next group', async () => {
    const { group, commits, groups } = start();
    const outcomes = ['a', 'b'].map((job) => group.submit(job, 1));
    await nextTurn();
    expect(groups()).toEqual(['ab']);
    outcomes.push(group.submit('c', 1), group.submit('d', 1));
    await nextTurn();
    expect(groups()).toEqual(['ab']);
    commits[0].finish();
    expect(await Promise.all(outcomes.slice(0, 2))).toEqual(['a done', 'b done']);
    await nextTurn();
    expect(groups()).toEqual(['ab', 'cd']);
    commits[1].finish();
    expect(await Promise.all(outcomes)).toEqual(['a done', 'b done', 'c done', 'd done']);
  });

  it('commits a group with the observer of the first job that has one', async () => {
    const observers = ['a', 'b'].map((): StatementObserver => ({ begin: () => null }));
    const seen: (StatementObserver | undefined)[] = [];
    const group = new GroupCommit({ groupSize: 2, waitingSize: 20, parallel: 1 }, async (jobs: string[]) => {
      seen.push(currentObserver());
      await nextTurn();
      return jobs;
    });
    const submit = (job: string, observer?: StatementObserver) =>
      observing(observer, () => group.submit(job, 1));
    await Promise.all([
      ...[submit('a', observers[0]), submit('b')],
      ...[submit('c'), submit('d', observers[1])],
      ...[submit('e'), submit('f')],
    ]);
    expect(seen).toEqual([observers[0], observers[1], undefined]);
    expect(seen[1]).toBe(observers[1]);
  });

  it('limits a group by total size, but accepts a single larger job', async () => {
    const { group, commits, groups } = start();
    const outcomes = [group.submit('a', 6), group.submit('b', 4), group.submit('c', 1)];
    await nextTurn();
    expect(groups()).toEqual(['ab']);
    outcomes.push(group.submit('d', 15));
    commits[0].finish();
    await nextTurn();
    await nextTurn();
    expect(groups()).toEqual(['ab', 'c']);
    commits[1].finish();
    await nextTurn();
    await nextTurn();
    expect(groups()).toEqual(['ab', 'c', 'd']);
    commits[2].finish();
    await Promise.all(outcomes);
  });

  it('rejects jobs while the queue is full, and accepts them when there is room', async () => {
    const { group, commits } = start();
    const first = group.submit('a', 20);
    await expect(group.submit('b', 1)).rejects.toMatchObject({
      status: 503,
      headers: { 'retry-after': '1' },
    });
    await nextTurn();
    const second = group.submit('c', 20);
    commits[0].finish();
    await first;
    await nextTurn();
    commits[1].finish();
    expect(await second).toBe('c done');
  });

  it('fails all jobs of a failed group, and continues', async () => {
    const { group, commits } = start();
    const outcomes = Promise.allSettled([group.submit('a', 1), group.submit('b', 1)]);
    await nextTurn();
    commits[0].fail();
    expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    const next = group.submit('c', 1);
    await nextTurn();
    commits[1].finish();
    expect(await next).toBe('c done');
  });

  it('commits groups concurrently up to the limit', async () => {
    const { group, commits, groups } = start({ parallel: 2, groupSize: 1, waitingSize: 100 });
    const outcomes = ['a', 'b', 'c'].map((job) => group.submit(job, 1));
    await nextTurn();
    await nextTurn();
    expect(groups()).toEqual(['a', 'b']);
    commits[1].finish();
    await nextTurn();
    await nextTurn();
    expect(groups()).toEqual(['a', 'b', 'c']);
    commits[0].finish();
    commits[2].finish();
    expect(await Promise.all(outcomes)).toEqual(['a done', 'b done', 'c done']);
  });

  it('serves lanes in turn, so a flood in one lane delays a single job in another by only one job', async () => {
    const { group, commits, groups } = start({ groupSize: 2, waitingSize: 100 });
    const flood = ['a', 'b', 'c', 'd', 'e', 'f'].map((job) => group.submitTo(1, job, 2));
    await nextTurn();
    const single = group.submitTo(2, 'X', 1);
    for (let index = 0; index < 7; index += 1) {
      commits[index].finish();
      await nextTurn();
      await nextTurn();
    }
    await Promise.all([...flood, single]);
    expect(groups()).toEqual(['a', 'b', 'X', 'c', 'd', 'e', 'f']);
  });

  it('fills groups from all lanes, one job from each in turn', async () => {
    const { group, commits, groups } = start({ groupSize: 4, waitingSize: 100 });
    const first = group.submitTo(1, 'a', 1);
    await nextTurn();
    const rest = ['b', 'c', 'd'].map((job) => group.submitTo(1, job, 1));
    rest.push(...['X', 'Y'].map((job) => group.submitTo(2, job, 1)), group.submitTo(3, 'Z', 1));
    for (let index = 0; index < 3; index += 1) {
      commits[index].finish();
      await nextTurn();
      await nextTurn();
    }
    await Promise.all([first, ...rest]);
    expect(groups()).toEqual(['a', 'bXZc', 'Yd']);
  });

  it('leaves room for another lane even if the others are full', async () => {
    const { group, commits } = start({ waitingSize: 24, groupSize: 100 });
    const fill = async (lane: number): Promise<number> => {
      const outcomes = [...Array(30).keys()].map(() =>
        group.submitTo(lane, 'j', 1).then(
          () => 1,
          () => 0,
        ),
      );
      void nextTurn().then(async () => {
        for (let index = 0; index < 5; index += 1) {
          commits[index]?.finish();
          await nextTurn();
          await nextTurn();
        }
      });
      return (await Promise.all(outcomes)).reduce((sum: number, one) => sum + one, 0);
    };
    expect(await Promise.all([fill(1), fill(2), fill(3)])).toEqual([12, 6, 3]);
    await expect(group.submitTo(1, 'j', 13)).rejects.toMatchObject({ status: 503 });
    expect(await fill(4)).toBe(12);
  });
});
