import { UnavailableError } from '../errors/api-errors';
import { growingCache } from '../lists/collections';

/** Time in milliseconds that a project's slow work may use at once. */
const CAPACITY_MS = 500;
/** The share of the time that a project may spend on slow patterns in the long run, 0 to 1. */
const PERMANENT = 0.2;
/** Time in milliseconds that the decisions of one request may use without counting as slow. */
export const DECISIONS_FREE_MS = 10;
/** Time in milliseconds that one message may use without counting as slow. A request can have thousands of messages. */
export const MESSAGE_FREE_MS = 1;
const RETRY_SECONDS = 10;
const MAX_PROJECTS = 10_000;

/** The patterns of a project take too much time. */
class SlowPatternsError extends UnavailableError {
  constructor() {
    super(
      RETRY_SECONDS,
      'UNAVAILABLE',
      "The project's patterns take too long to match. Simplify the regular expressions of its audiences and pages.",
    );
  }
}

/** The time left for a project's slow work: a token bucket in milliseconds. */
class Allowance {
  private left = CAPACITY_MS;
  private at = performance.now();

  take(milliseconds: number): void {
    const now = performance.now();
    this.left = Math.min(CAPACITY_MS, this.left + (now - this.at) * PERMANENT) - milliseconds;
    this.at = now;
  }

  get isUsedUp(): boolean {
    this.take(0);
    return this.left <= 0;
  }
}

const allowances = growingCache<number, Allowance>(MAX_PROJECTS);

function allowanceOf(projectId: number): Allowance {
  const known = allowances.get(projectId);
  if (known !== undefined) {
    return known;
  }
  const allowance = new Allowance();
  allowances.set(projectId, allowance);
  return allowance;
}

let current: MatchingTime | undefined;

function during<T>(time: MatchingTime, work: () => T): T {
  const outer = current;
  current = time;
  try {
    return work();
  } finally {
    current = outer;
  }
}

/**
 * The time that a piece of work, such as a decision request, spends on matching a project's patterns. Each match takes
 * linear time, but a project can have many large patterns, and all projects share one thread. Work is slow if its
 * patterns take longer than `freeMs`; ordinary patterns take microseconds.
 */
export class MatchingTime {
  private spent = 0;
  private readonly allowance: Allowance;

  /** @param freeMs time in milliseconds that is not counted */
  constructor(
    projectId: number,
    private readonly freeMs: number,
  ) {
    this.allowance = allowanceOf(projectId);
  }

  /** The time of the current work; undefined where the time is not limited. */
  static get current(): MatchingTime | undefined {
    return current;
  }

  /** Counts the patterns that the work matches synchronously. */
  count<T>(work: () => T): T {
    return during(this, work);
  }

  /** @throws UnavailableError instead of matching if the work is slow and the project's time is used up */
  match(match: () => boolean): boolean {
    if (this.spent > this.freeMs && this.allowance.isUsedUp) {
      throw new SlowPatternsError();
    }
    const began = performance.now();
    const found = match();
    const took = performance.now() - began;
    this.spent += took;
    if (this.spent > this.freeMs) {
      this.allowance.take(Math.min(took, this.spent - this.freeMs));
    }
    return found;
  }
}
