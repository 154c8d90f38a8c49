import { UnavailableError } from '../common/errors/api-errors';
import { currentObserver, observing, type StatementObserver } from '../database/statement-observer';

interface Waiting<Job, Outcome> {
  job: Job;
  size: number;
  /** Observes the job's statements. */
  observer: StatementObserver | undefined;
  resolve: (outcome: Outcome) => void;
  reject: (reason: unknown) => void;
}

interface Lane<Job, Outcome> {
  waiting: Waiting<Job, Outcome>[];
  size: number;
}

export interface GroupLimits {
  /** Maximum total size of a group; a single job may be larger. */
  groupSize: number;
  /** Maximum total size of the queue; additional jobs are rejected. */
  waitingSize: number;
  /** Maximum number of concurrent commits. */
  parallel: number;
}

const ONLY_LANE = 0;
const RETRY_AFTER_SECONDS = 1;

/** More jobs are waiting than the queue has room for. */
export class QueueFullError extends UnavailableError {
  constructor() {
    super(RETRY_AFTER_SECONDS);
  }
}

/**
 * Group commit: while one group is being committed, new jobs are collected. They form the next group and share the cost
 * of one commit.
 *
 * Jobs queue in lanes that are served round robin: a job waits for the current commit, for earlier jobs in its own lane
 * and for one job from each other lane, regardless of how many jobs those lanes have. Jobs submitted without a lane
 * share a single lane.
 */
export class GroupCommit<Job, Outcome> {
  /** Lanes with queued jobs, in the order in which they are served. */
  private readonly lanes = new Map<number, Lane<Job, Outcome>>();
  private waitingSize = 0;
  private active = 0;
  private isScheduled = false;

  /** @param commit returns the outcomes in the order of the jobs; if it throws, all jobs fail */
  constructor(
    private readonly limits: GroupLimits,
    private readonly commit: (jobs: Job[]) => Promise<Outcome[]>,
  ) {}

  /** Total size of the queued jobs. */
  get queued(): number {
    return this.waitingSize;
  }

  /**
   * @param size the cost of the job, in the unit of the limits
   * @throws QueueFullError if the queue is full
   */
  submit(job: Job, size: number): Promise<Outcome> {
    return this.waitingSize + size > this.limits.waitingSize
      ? Promise.reject(new QueueFullError())
      : this.enqueue(job, size, ONLY_LANE);
  }

  /**
   * Like `submit`, in a given lane. A job is rejected if its lane would then occupy more of the queue than remains
   * free. A lane therefore gets at most half of the queue, and there is always room for another lane.
   * @param lane a positive integer
   * @throws QueueFullError if the lane or the queue is full
   */
  submitTo(lane: number, job: Job, size: number): Promise<Outcome> {
    const own = this.lanes.get(lane)?.size ?? 0;
    return own + size > this.limits.waitingSize - this.waitingSize - size
      ? Promise.reject(new QueueFullError())
      : this.enqueue(job, size, lane);
  }

  private enqueue(job: Job, size: number, name: number): Promise<Outcome> {
    const lane = this.lanes.get(name) ?? { waiting: [], size: 0 };
    this.lanes.set(name, lane);
    lane.size += size;
    this.waitingSize += size;
    return new Promise((resolve, reject) => {
      lane.waiting.push({ job, size, observer: currentObserver(), resolve, reject });
      this.schedule();
    });
  }

  /**
   * If possible, starts the next commit at the end of this turn of the event loop, so jobs received in the same turn
   * join the group.
   */
  private schedule(): void {
    const isPossible = this.lanes.size > 0 && this.active < this.limits.parallel;
    if (isPossible && !this.isScheduled) {
      this.isScheduled = true;
      setImmediate(() => {
        this.isScheduled = false;
        void this.commitNext();
      });
    }
  }

  private async commitNext(): Promise<void> {
    const group = this.takeGroup();
    this.active += 1;
    this.schedule();
    // Each commit is started by the previous one, so without `observing` it would have the observer of a finished job.
    const observer = group.find((waiting) => waiting.observer !== undefined)?.observer;
    try {
      const outcomes = await observing(observer, () => this.commit(group.map(({ job }) => job)));
      group.forEach(({ resolve }, index) => resolve(outcomes[index]));
    } catch (error) {
      group.forEach(({ reject }) => reject(error));
    } finally {
      this.active -= 1;
      this.schedule();
    }
  }

  /**
   * Takes one job from each lane in turn until the next job does not fit. That job's lane is served first next time.
   */
  private takeGroup(): Waiting<Job, Outcome>[] {
    const group: Waiting<Job, Outcome>[] = [];
    let size = 0;
    for (;;) {
      const [next] = this.lanes;
      const [job] = next?.[1].waiting ?? [];
      if (next === undefined || (group.length > 0 && size + job.size > this.limits.groupSize)) {
        return group;
      }
      const [name, lane] = next;
      lane.waiting.shift();
      group.push(job);
      size += job.size;
      this.lanes.delete(name);
      lane.size -= job.size;
      this.waitingSize -= job.size;
      if (lane.waiting.length > 0) {
        this.lanes.set(name, lane);
      }
    }
  }
}
