import { normalCritical } from '../../src/statistics/distributions';
import type { Effect } from '../../src/statistics/effect';
import { GroupSequentialTest, obrienFlemingSpending } from '../../src/statistics/group-sequential';
import { CLOSEST_LOOKS } from '../../src/statistics/plan';
import { sequentialCritical, tuningOfPair } from '../../src/statistics/sequential';
import type { SimulatedExperiment } from './experiment';

export const ALPHA = 0.05;
/** `min_runtime_days`: from this day on there is one look per day. */
export const FIRST_LOOK = 7;

/** A rule that looks every day and decides at the first crossing. */
export interface Judge {
  name: string;
  /** The first and last day on which it may look. */
  firstLook: number;
  days: number;
  /** Minimum average number of conversions per variation. */
  minConversions: number;
  /** The standard error by which the boundaries are multiplied. */
  error: 'largestError' | 'standardError';
  /** Boundaries of |z| by day, for the given day of the first look; Infinity on days without one. */
  boundaries(firstLook: number): readonly number[];
}

/** The verdict of a judge in one run. */
export interface Verdict {
  /** 1 is better, -1 is worse, 0 is no verdict. */
  sign: number;
  /** The relative uplift at the deciding look; 0 without a verdict. */
  uplift: number;
}

interface JudgeOptions {
  days: number;
  daily: number;
  minConversions?: number;
  error?: Judge['error'];
}

/** The method `sequential`. By default, the tuning follows from the participants of the first 7 days. */
export function sequentialJudge({
  days,
  daily,
  minConversions = 0,
  error = 'largestError',
  tuning = tuningOfPair(daily * FIRST_LOOK),
}: JudgeOptions & { tuning?: number }): Judge {
  const boundaries = byDay(days, (day) => sequentialCritical(daily * day, ALPHA, tuning));
  const common = { firstLook: FIRST_LOOK, days, minConversions, error };
  return { ...common, name: 'sequential', boundaries: () => boundaries };
}

/** The method `planned`, with a plan for the participants of all days, like `plannedStanding` at constant traffic. */
export function plannedJudge({ days, minConversions = 0, error = 'largestError' }: JudgeOptions): Judge {
  const known = new Map<number, readonly number[]>();
  return {
    name: 'planned',
    firstLook: FIRST_LOOK,
    days,
    minConversions,
    error,
    boundaries: (firstLook) => {
      const found = known.get(firstLook) ?? plannedBoundaries(firstLook, days);
      known.set(firstLook, found);
      return found;
    },
  };
}

/** A fixed-horizon test with a single look on the last day or, if `isPeeking`, with a look on every day. */
export function fixedJudge({ days, minConversions = 0 }: JudgeOptions, isPeeking = false): Judge {
  const boundaries = byDay(days, () => normalCritical(ALPHA));
  const common = { days, minConversions, error: 'standardError' as const };
  return { ...common, name: 'fixed', firstLook: isPeeking ? 1 : days, boundaries: () => boundaries };
}

const byDay = (days: number, f: (day: number) => number): number[] =>
  Array.from({ length: days + 1 }, (_, day) => (day === 0 ? Infinity : f(day)));

/** Boundaries by day of a plan of this number of days whose looks begin on `firstLook`. */
export function plannedBoundaries(firstLook: number, days: number): readonly number[] {
  const test = new GroupSequentialTest();
  const boundaries = Array.from({ length: days + 1 }, () => Infinity);
  let [fraction, spent] = [0, 0];
  for (let day = firstLook; day <= days; day += 1) {
    const reached = day / days;
    if (day < days && reached - fraction < CLOSEST_LOOKS) {
      continue;
    }
    const target = obrienFlemingSpending(reached, ALPHA);
    boundaries[day] = test.spend(reached, target - spent);
    spent = boundaries[day] === Infinity ? spent : target;
    fraction = reached;
  }
  return boundaries;
}

/** A plan whose end may be moved to today: each look may be the last one, which spends all remaining error. */
export function shortenedJudge({ days }: JudgeOptions): Judge {
  const boundaries = byDay(days, (day) => (day < FIRST_LOOK ? Infinity : lastBoundary(day, days)));
  const common = { firstLook: FIRST_LOOK, days, minConversions: 0, error: 'largestError' as const };
  return { ...common, name: 'planned', boundaries: () => boundaries };
}

/** The boundary of a day if it is the last one of a plan with this number of days. */
function lastBoundary(last: number, days: number): number {
  const test = new GroupSequentialTest();
  let spent = 0;
  for (let day = FIRST_LOOK; day < last; day += 1) {
    const target = obrienFlemingSpending(day / days, ALPHA);
    spent = test.spend(day / days, target - spent) === Infinity ? spent : target;
  }
  return test.spend(last / days, ALPHA - spent);
}

/** Runs the experiment once from the start until every judge is done. */
export function judgeRun(experiment: SimulatedExperiment, judges: readonly Judge[]): Verdict[] {
  const verdicts = judges.map((): Verdict => ({ sign: 0, uplift: 0 }));
  const firstLooks = judges.map(() => 0);
  const last = Math.max(0, ...judges.map(({ days }) => days));
  const first = Math.min(...judges.map(({ firstLook }) => firstLook));
  experiment.reset();
  for (let day = 1; day <= last; day += 1) {
    experiment.nextDay();
    if (day < first) {
      continue;
    }
    const effect = experiment.effect();
    const { conversions } = experiment;
    for (let index = 0; index < judges.length; index += 1) {
      const judge = judges[index];
      const isLookDay = day >= judge.firstLook && day <= judge.days;
      const isOpen = conversions >= 2 * judge.minConversions && effect.largestError > 0;
      if (verdicts[index].sign !== 0 || !isLookDay || !isOpen) {
        continue;
      }
      firstLooks[index] ||= day;
      if (isCrossed(effect, judge.boundaries(firstLooks[index])[day], judge)) {
        const uplift = effect.difference / Math.abs(effect.control.value);
        verdicts[index] = { sign: Math.sign(effect.difference), uplift };
      }
    }
  }
  return verdicts;
}

/**
 * Whether the difference crosses the boundary. Without an unpooled error, the server computes no sequential figures, so
 * there is no verdict, except with `planned`, which uses the larger error.
 */
function isCrossed(effect: Effect, critical: number, { name, error }: Judge): boolean {
  return (
    (name === 'planned' || effect.standardError > 0) &&
    Math.abs(effect.difference) >= critical * effect[error]
  );
}
