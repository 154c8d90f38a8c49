import { UnavailableError } from '../common/errors/api-errors';

interface Waiting<Job, Outcome> {
  job: Job;
  size: number;
  resolve: (outcome: Outcome) => void;
  reject: (reason: unknown) => void;
}

export interface GroupLimits {
  /** The sum of sizes that is committed together; a single job may be larger. */
  groupSize: number;
  /** The sum of sizes that may wait; what comes then is refused. */
  waitingSize: number;
  /** Groups that are committed at the same time. */
  parallel: number;
}

/**
 * Commits together what arrives together: while one group is being committed the next one gathers, so the cost of a
 * commit is shared by all who wait, and nobody waits longer than for the commit under way and their own.
 */
export class GroupCommit<Job, Outcome> {
  private readonly waiting: Waiting<Job, Outcome>[] = [];
  private waitingSize = 0;
  private active = 0;
  private isScheduled = false;

  /** @param commit returns the outcomes in the order of the jobs; when it fails, all of them have failed */
  constructor(
    private readonly limits: GroupLimits,
    private readonly commit: (jobs: Job[]) => Promise<Outcome[]>,
  ) {}

  /**
   * @param size what the job costs, in the unit of the limits
   * @throws UnavailableError when too much is waiting
   */
  submit(job: Job, size: number): Promise<Outcome> {
    if (this.waitingSize + size > this.limits.waitingSize) {
      return Promise.reject(new UnavailableError(1));
    }
    this.waitingSize += size;
    return new Promise((resolve, reject) => {
      this.waiting.push({ job, size, resolve, reject });
      this.schedule();
    });
  }

  /** Whatever the same turn of the event loop has received joins the group. */
  private schedule(): void {
    const isPossible = this.waiting.length > 0 && this.active < this.limits.parallel;
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
    try {
      const outcomes = await this.commit(group.map(({ job }) => job));
      group.forEach(({ resolve }, index) => resolve(outcomes[index]));
    } catch (error) {
      group.forEach(({ reject }) => reject(error));
    } finally {
      this.active -= 1;
      this.schedule();
    }
  }

  private takeGroup(): Waiting<Job, Outcome>[] {
    let size = 0;
    let count = 0;
    while (
      count < this.waiting.length &&
      (count === 0 || size + this.waiting[count].size <= this.limits.groupSize)
    ) {
      size += this.waiting[count].size;
      count += 1;
    }
    this.waitingSize -= size;
    return this.waiting.splice(0, count);
  }
}
