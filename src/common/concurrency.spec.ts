import { KeyedQueues, runEach, SerialQueues, Slots } from './concurrency';

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

describe('Slots', () => {
  const slots = (running: number, waiting = 10, waitMs = 60_000): Slots =>
    new Slots({
      running,
      waiting,
      waitMs,
      full: () => new Error('full'),
      late: () => new Error('late'),
    });

  it('run a limited number of jobs at a time, in order of arrival', async () => {
    const pair = slots(2);
    const gates = [gate(), gate(), gate(), gate()];
    const started: number[] = [];
    const jobs = gates.map(({ passed }, index) =>
      pair.run(() => {
        started.push(index);
        return passed;
      }),
    );
    expect([started, pair.size]).toEqual([[0, 1], 4]);
    gates[1].open();
    await jobs[1];
    expect([started, pair.size]).toEqual([[0, 1, 2], 3]);
    gates.forEach(({ open }) => open());
    await Promise.all(jobs);
    expect([started, pair.size]).toEqual([[0, 1, 2, 3], 0]);
  });

  it('pass the slot of a failed job to the next job', async () => {
    const single = slots(1);
    const failing = single.run(() => Promise.reject(new Error('no')));
    const next = single.run(() => Promise.resolve('done'));
    await expect(failing).rejects.toThrow('no');
    expect([await next, single.size]).toEqual(['done', 0]);
  });

  it('refuse jobs that wait for too long or are too many, and never start them', async () => {
    const single = slots(1, 1, 20);
    const first = gate();
    const running = single.run(() => first.passed);
    const never = jest.fn();
    const waiting = single.run(never);
    await expect(single.run(never)).rejects.toThrow('full');
    await expect(waiting).rejects.toThrow('late');
    first.open();
    await running;
    expect([never.mock.calls, single.size]).toEqual([[], 0]);
    expect(await single.run(() => Promise.resolve('done'))).toBe('done');
  });

  it('of one key do not limit other keys', async () => {
    const queues = new KeyedQueues(() => slots(1, 0));
    const first = gate();
    const running = queues.run(1, () => first.passed);
    await expect(queues.run(1, () => first.passed)).rejects.toThrow('full');
    expect(await queues.run(2, () => Promise.resolve('done'))).toBe('done');
    first.open();
    await running;
    expect(await queues.run(1, () => Promise.resolve('done'))).toBe('done');
  });

  it('keep to the limit of a key if a job is added between the ends of the last two', async () => {
    const queues = new KeyedQueues(() => slots(2, 10));
    const [first, second] = [gate(), gate()];
    let started = 0;
    const hold = (): Promise<void> =>
      queues.run(1, () => {
        started += 1;
        return second.passed;
      });
    const jobs: Promise<void>[] = [queues.run(1, () => first.passed)];
    void first.passed.then(() => queueMicrotask(() => jobs.push(hold(), hold())));
    jobs.push(queues.run(1, () => first.passed));
    first.open();
    await Promise.all(jobs);
    jobs.push(hold());
    expect(started).toBe(2);
    second.open();
    await Promise.all(jobs);
    expect(started).toBe(3);
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
