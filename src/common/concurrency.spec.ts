import { runEach, SerialQueues } from './concurrency';

/** A promise that the test resolves. */
function gate(): { open: () => void; passed: Promise<void> } {
  let open: () => void = () => undefined;
  const passed = new Promise<void>((resolve) => (open = resolve));
  return { open: () => open(), passed };
}

describe('SerialQueues', () => {
  it('runs jobs with the same key one after another, and others concurrently', async () => {
    const queues = new SerialQueues();
    const steps: string[] = [];
    const first = gate();
    const jobs = [
      queues.run(1, async () => {
        await first.passed;
        steps.push('first');
      }),
      queues.run(1, async () => void steps.push('second')),
      queues.run(2, async () => void steps.push('other')),
    ];
    await jobs[2];
    expect(steps).toEqual(['other']);
    first.open();
    await Promise.all(jobs);
    expect(steps).toEqual(['other', 'first', 'second']);
  });

  it('continues after a failed job', async () => {
    const queues = new SerialQueues();
    const failing = queues.run(1, () => Promise.reject(new Error('no')));
    const next = queues.run(1, () => Promise.resolve('done'));
    await expect(failing).rejects.toThrow('no');
    expect(await next).toBe('done');
    expect(await queues.run(1, () => Promise.resolve('later'))).toBe('later');
  });
});

describe('runEach', () => {
  it('runs every job, and then throws the first failure', async () => {
    const done: string[] = [];
    const job =
      (name: string, fails = false) =>
      async (): Promise<void> => {
        done.push(name);
        if (fails) {
          return Promise.reject(new Error(name));
        }
      };
    await expect(runEach([job('a'), job('b', true), job('c', true), job('d')])).rejects.toThrow('b');
    expect(done).toEqual(['a', 'b', 'c', 'd']);
  });
});
