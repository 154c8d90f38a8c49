import { setImmediate as nextTurn } from 'node:timers/promises';
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
  it('commits together what arrives together, and what arrives meanwhile with the next group', async () => {
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

  it('bounds a group by the sum of sizes, but takes a job that is larger alone', async () => {
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

  it('refuses what would wait behind too much, and takes it again when there is room', async () => {
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

  it('tells everybody in a group of its failure, and goes on', async () => {
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

  it('commits as many groups at once as it may', async () => {
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
});
