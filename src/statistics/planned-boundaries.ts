import type { Effect } from './effect';
import { GroupSequentialTest, obrienFlemingSpending } from './group-sequential';

/** The quantities on which the boundary for a look depends. */
export interface LookTime {
  /** Fraction of the planned information, larger than at the previous look. */
  information: number;
  /** The mean over both variations. */
  mean: number;
  /** Standard error of the difference, above 0. */
  error: number;
  /** Whether this is the last look, which spends all remaining error. */
  isLast: boolean;
}

/**
 * The boundaries of a plan, look by look. Error is spent according to the number of participants, as the plan defines.
 * The correlation of two looks follows from whichever of these quantities grew most between them, because boundaries
 * would be too low if looks seemed closer than they are:
 *
 * - the participants;
 * - the information on the relative difference, (mean / error)². If participants convert long after they entered, it
 *   grows like their conversions. Unlike the difference, the relative difference stays the same while conversions
 *   arrive, if both variations convert equally late, so its estimates have independent increments (Scharfstein, Tsiatis,
 *   Robins 1997, JASA 92:1342);
 * - the variance of the score, (information · error)², which grows faster than the participants if later values vary
 *   more.
 *
 * If both the information and the variance fall, earlier conversions were taken back. If one of two sums contains only
 * a part of the other's independent terms, their correlation is the square root of that part.
 */
export class PlannedTest {
  private readonly test = new GroupSequentialTest();
  /** The look from which growth is measured: the first one, or the latest one at which conversions were taken back. */
  private start: LookTime | null = null;
  private before: LookTime | null = null;
  private startTime = 0;
  private time = 0;
  private spent = 0;

  /** @param alpha the two-sided error probability; if there is a correction, this comparison's share of it */
  constructor(private readonly alpha: number) {}

  /**
   * Adds a look. @returns the critical value of |difference / `largestError`|; Infinity if there is no error to spend
   */
  criticalAt(look: LookTime): number {
    const target = look.isLast ? this.alpha : obrienFlemingSpending(look.information, this.alpha);
    this.advance(look);
    const critical = this.test.spend(this.time, target - this.spent);
    this.spent = critical === Infinity ? this.spent : target;
    return critical;
  }

  private advance(look: LookTime): void {
    const left = this.before === null ? 1 : evidenceGrowth(this.before, look);
    if (this.start === null) {
      [this.start, this.startTime] = [look, look.information];
    } else if (left < 1) {
      [this.start, this.startTime] = [look, this.time / left];
    }
    const growth = Math.max(look.information / this.start.information, evidenceGrowth(this.start, look));
    this.time = Math.max(this.time, this.startTime * growth);
    this.before = look;
  }
}

/** A mean this close to 0, in standard errors of the difference, says nothing about relative differences. */
const LEAST_MEAN = 2;

/** The growth of the information on the relative difference; 0 if the first mean is too close to 0. */
const informationGrowth = (from: LookTime, to: LookTime): number =>
  Math.abs(from.mean) < LEAST_MEAN * from.error ? 0 : ((to.mean * from.error) / (from.mean * to.error)) ** 2;

const varianceGrowth = (from: LookTime, to: LookTime): number =>
  ((to.information * to.error) / (from.information * from.error)) ** 2;

/** The growth of the evidence between two looks; below 1 if a part of the evidence was taken back. */
const evidenceGrowth = (from: LookTime, to: LookTime): number =>
  Math.max(informationGrowth(from, to), varianceGrowth(from, to));

/** The part of a look that an effect determines. */
export const momentsOf = ({ mean, largestError }: Pick<Effect, 'mean' | 'largestError'>) => ({
  mean,
  error: largestError,
});

/** The boundaries for all looks. Each look takes about a tenth of a millisecond to compute. */
export function plannedCriticals(looks: readonly LookTime[], alpha: number): number[] {
  const test = new PlannedTest(alpha);
  return looks.map((look) => test.criticalAt(look));
}
