import { GroupSequentialTest, obrienFlemingSpending } from './group-sequential';

/** When a look of a plan takes place. */
export interface LookTime {
  /** Fraction of the planned information. */
  information: number;
  /** The last look spends all remaining error. */
  isLast: boolean;
}

/**
 * The critical values of a plan's looks, each computed when it is first needed, which takes about a millisecond. They
 * depend on the looks' times alone, so goals with the same looks can share them.
 */
export class PlannedBoundaries {
  private readonly test = new GroupSequentialTest();
  private readonly known: number[] = [];
  private spent = 0;

  /** @param alpha two-sided; with a correction the part of this comparison */
  constructor(
    private readonly times: readonly LookTime[],
    private readonly alpha: number,
  ) {}

  /** The critical value of |z| at a look, counted from 0; Infinity without error to spend. */
  criticalAt(look: number): number {
    for (const time of this.times.slice(this.known.length, look + 1)) {
      this.known.push(this.next(time));
    }
    return this.known[look];
  }

  private next({ information, isLast }: LookTime): number {
    const target = isLast ? this.alpha : obrienFlemingSpending(information, this.alpha);
    const critical = this.test.spend(information, target - this.spent);
    this.spent = critical === Infinity ? this.spent : target;
    return critical;
  }
}

/** Finds or computes boundaries. */
export type BoundariesOf = (times: readonly LookTime[], alpha: number) => PlannedBoundaries;

export const newBoundaries: BoundariesOf = (times, alpha) => new PlannedBoundaries(times, alpha);
