import { dayOf, type Micros } from '../common/time/clock';
import { finalAfter } from '../events/counting-rules';
import type { ExperimentPlan } from '../statistics/input';
import { plannedParticipants } from '../statistics/planned';
import { tuningOfPair } from '../statistics/sequential';
import type { ExperimentFacts } from './experiment-facts';
import type { DayRange } from './first-days.store';

/** An id that no variation has. */
const NONE = 0;

/**
 * The days whose participants determine the traffic of an experiment: the first `min_runtime_days` UTC days from the
 * start. Null until they are over, and if there are none. A final result does not change any more.
 */
export function daysOfTraffic(
  { experiment, settings, runs }: Pick<ExperimentFacts, 'experiment' | 'settings' | 'runs'>,
  asOf: Micros,
): DayRange | null {
  const [start] = runs;
  if (start === undefined || settings.min_runtime_days === 0) {
    return null;
  }
  const first = dayOf(start.startedAt);
  const last = first + settings.min_runtime_days - 1;
  const known = Math.min(asOf, finalAfter(experiment.archived_at) ?? Infinity);
  return dayOf(known) > last ? { first, last } : null;
}

/**
 * The tuning of each variation's comparison with the original, by variation id: the planned sample size, even if the
 * plan was removed, otherwise estimated from traffic.
 * @param entered participants on the days of traffic by variation id; null while these days are not over
 */
export function tuningByVariation(
  variations: ExperimentFacts['variations'],
  plan: ExperimentPlan | null,
  entered: ReadonlyMap<number, number> | null,
): ReadonlyMap<number, number> {
  const original = variations.find(({ is_original }) => is_original)?.id ?? NONE;
  const byTraffic = (id: number): number =>
    tuningOfPair(entered === null ? null : (entered.get(original) ?? 0) + (entered.get(id) ?? 0));
  return new Map(
    variations.map(({ id }) => [
      id,
      (plan === null ? null : plannedParticipants(plan, [original, id])) ?? byTraffic(id),
    ]),
  );
}
