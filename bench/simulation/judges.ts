import { normalCritical } from '../../src/statistics/distributions';
import type { Effect } from '../../src/statistics/effect';
import { isWorthALook } from '../../src/statistics/plan';
import { type LookTime, momentsOf, PlannedTest } from '../../src/statistics/planned-boundaries';
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
  /** The boundaries of a new run. */
  begin(): Boundaries;
}

/** The boundary of |z| on a day; Infinity on days without a look. It is called once for each day, in order. */
export type Boundaries = (day: number, effect: Effect) => number;

/** The verdict of a judge in one run. */
export interface Verdict {
  /** 1 is better, -1 is worse, 0 is no verdict. */
  sign: number;
  /** The relative uplift at the deciding look; 0 if there is no verdict. */
  uplift: number;
}

interface JudgeOptions {
  days: number;
  daily: number;
  /** Participants of both variations by the end of a day; without it, `daily` on each day. */
  entered?: (day: number) => number;
  minConversions?: number;
  error?: Judge['error'];
}

/** The method `sequential`. By default, the tuning follows from the participants of the first 7 days. */
export function sequentialJudge({
  days,
  daily,
  entered = (day) => daily * day,
  minConversions = 0,
  error = 'largestError',
  tuning = tuningOfPair(entered(FIRST_LOOK)),
}: JudgeOptions & { tuning?: number }): Judge {
  const boundaries = byDay(days, (day) => sequentialCritical(entered(day), ALPHA, tuning));
  const common = { firstLook: FIRST_LOOK, days, minConversions, error };
  return { ...common, name: 'sequential', begin: () => (day) => boundaries[day] };
}

/** The method `planned`, with a plan for the participants of all days, like `plannedOutcome`. */
export function plannedJudge({
  days,
  daily,
  entered = (day) => daily * day,
  minConversions = 0,
  error = 'largestError',
}: JudgeOptions): Judge {
  const all = entered(days);
  const common = { firstLook: FIRST_LOOK, days, minConversions, error };
  return { ...common, name: 'planned', begin: () => plannedBoundaries(days, (day) => entered(day) / all) };
}

function plannedBoundaries(days: number, reached: (day: number) => number): Boundaries {
  const test = new PlannedTest(ALPHA);
  let before = 0;
  return (day, effect) => {
    const information = reached(day);
    if (day < days && !isWorthALook(information - before)) {
      return Infinity;
    }
    before = information;
    return test.criticalAt({ information, ...momentsOf(effect), isLast: day === days });
  };
}

/** A fixed-horizon test with a single look on the last day or, if `isPeeking`, with a look on every day. */
export function fixedJudge({ days, minConversions = 0 }: JudgeOptions, isPeeking = false): Judge {
  const boundaries = byDay(days, () => normalCritical(ALPHA));
  const common = { days, minConversions, error: 'standardError' as const };
  return { ...common, name: 'fixed', firstLook: isPeeking ? 1 : days, begin: () => (day) => boundaries[day] };
}

const byDay = (days: number, f: (day: number) => number): number[] =>
  Array.from({ length: days + 1 }, (_, day) => (day === 0 ? Infinity : f(day)));

/** A plan whose end may be moved to today: each look may be the last one, which spends all remaining error. */
export function shortenedJudge({ days }: JudgeOptions): Judge {
  const boundaries = byDay(days, (day) => (day < FIRST_LOOK ? Infinity : lastBoundary(day, days)));
  const common = { firstLook: FIRST_LOOK, days, minConversions: 0, error: 'largestError' as const };
  return { ...common, name: 'planned', begin: () => (day) => boundaries[day] };
}

/** The boundary on a day if it is the last day of a plan with this number of days. */
function lastBoundary(last: number, days: number): number {
  const test = new PlannedTest(ALPHA);
  for (let day = FIRST_LOOK; day < last; day += 1) {
    test.criticalAt(steadyLook(day / days, false));
  }
  return test.criticalAt(steadyLook(last / days, true));
}

const steadyLook = (information: number, isLast: boolean): LookTime => ({
  information,
  ...momentsOf(steadyMoments(information)),
  isLast,
});

/** Moments of data that vary equally throughout the experiment. @param information in any unit */
export const steadyMoments = (information: number): Pick<Effect, 'mean' | 'largestError'> => ({
  mean: 10,
  largestError: 1 / Math.sqrt(information),
});

/** Runs the experiment once from the start until every judge is done. */
export function judgeRun(experiment: SimulatedExperiment, judges: readonly Judge[]): Verdict[] {
  const verdicts = judges.map((): Verdict => ({ sign: 0, uplift: 0 }));
  const boundaries = judges.map((judge) => judge.begin());
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
      if (isCrossed(effect, boundaries[index](day, effect), judge)) {
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
