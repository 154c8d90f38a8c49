/** Deduplicates concurrent work by key: callers with the same key share one promise. */
export class InFlight<T> {
  private readonly underWay = new Map<string, Promise<T>>();

  /** The work with this key that is running, if any. */
  find(key: string): Promise<T> | undefined {
    return this.underWay.get(key);
  }

  share(key: string, work: () => Promise<T>): Promise<T> {
    return this.find(key) ?? this.start(key, work);
  }

  /** Starts the work, and shares it from now on, instead of work with the same key that is already running. */
  start(key: string, work: () => Promise<T>): Promise<T> {
    const promise = work().finally(() => {
      if (this.underWay.get(key) === promise) {
        this.underWay.delete(key);
      }
    });
    this.underWay.set(key, promise);
    return promise;
  }

  /** Stops later callers from sharing work that is already running. */
  forget(): void {
    this.underWay.clear();
  }
}

/** A FIFO queue that runs one job at a time. */
export class SerialQueue {
  private tail: Promise<unknown> = Promise.resolve();
  private waiting = 0;

  /**
   * @param limit maximum number of running and waiting jobs; unlimited by default
   * @param full the error with which additional jobs fail
   */
  constructor(
    private readonly limit = Infinity,
    private readonly full = () => new Error('The queue is full.'),
  ) {}

  /** Number of running and waiting jobs. */
  get size(): number {
    return this.waiting;
  }

  run<T>(job: () => Promise<T>): Promise<T> {
    if (this.waiting >= this.limit) {
      return Promise.reject(this.full());
    }
    this.waiting += 1;
    const done = this.tail.then(job).finally(() => {
      this.waiting -= 1;
    });
    this.tail = done.catch(() => undefined);
    return done;
  }
}

export interface SlotLimits {
  /** Maximum number of concurrent jobs. */
  running: number;
  /** Maximum number of waiting jobs. */
  waiting: number;
  /** Maximum time in milliseconds for which a job waits. */
  waitMs: number;
  /** The error with which a job fails if too many others are waiting. */
  full: () => Error;
  /** The error with which a job fails that has waited for too long. */
  late: () => Error;
}

/** A FIFO queue that runs a limited number of jobs at a time. A job that does not start in time fails. */
export class Slots {
  private running = 0;
  /** Starts each waiting job, in order of arrival. */
  private readonly queue = new Set<() => void>();

  constructor(private readonly limits: SlotLimits) {}

  /** Number of running and waiting jobs. */
  get size(): number {
    return this.running + this.queue.size;
  }

  async run<T>(job: () => Promise<T>): Promise<T> {
    if (this.running < this.limits.running) {
      this.running += 1;
    } else {
      await this.turn();
    }
    try {
      return await job();
    } finally {
      this.leave();
    }
  }

  private turn(): Promise<void> {
    const { waiting, waitMs, full, late } = this.limits;
    if (this.queue.size >= waiting) {
      return Promise.reject(full());
    }
    return new Promise((resolve, reject) => {
      const start = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        this.queue.delete(start);
        reject(late());
      }, waitMs);
      this.queue.add(start);
    });
  }

  /** Passes the slot to the next job. */
  private leave(): void {
    const [start] = this.queue;
    if (start === undefined) {
      this.running -= 1;
    } else {
      this.queue.delete(start);
      start();
    }
  }
}

interface Queue {
  readonly size: number;
  run<T>(job: () => Promise<T>): Promise<T>;
}

/** A queue per key, which exists only while it has jobs. */
export class KeyedQueues {
  private readonly queues = new Map<number, Queue>();

  constructor(private readonly create: (key: number) => Queue) {}

  run<T>(key: number, job: () => Promise<T>): Promise<T> {
    const queue = this.queues.get(key) ?? this.create(key);
    this.queues.set(key, queue);
    return queue.run(job).finally(() => this.leave(key, queue));
  }

  private leave(key: number, queue: Queue): void {
    // The queue may have been replaced after another of its jobs had ended.
    if (queue.size === 0 && this.queues.get(key) === queue) {
      this.queues.delete(key);
    }
  }
}

/** Runs jobs with the same key one after another, in order of arrival. */
export class SerialQueues extends KeyedQueues {
  constructor() {
    super(() => new SerialQueue());
  }
}

/** Runs the jobs one after another, also if one of them fails. @throws the first failure, after the last job */
export async function runEach(jobs: readonly (() => Promise<void>)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const job of jobs) {
    try {
      await job();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) {
    throw failures[0];
  }
}
