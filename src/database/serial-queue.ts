import { QueueFullError } from './errors';

/** A FIFO queue that runs one job at a time. */
export class SerialQueue {
  private tail: Promise<unknown> = Promise.resolve();
  private waiting = 0;

  /** @param limit jobs that may wait; further ones fail with QueueFullError */
  constructor(private readonly limit: number) {}

  /** Jobs that run or wait. */
  get size(): number {
    return this.waiting;
  }

  run<T>(job: () => Promise<T>): Promise<T> {
    if (this.waiting >= this.limit) {
      return Promise.reject(new QueueFullError());
    }
    this.waiting += 1;
    const done = this.tail.then(job).finally(() => {
      this.waiting -= 1;
    });
    this.tail = done.catch(() => undefined);
    return done;
  }
}
