import { parseDay } from '../common/time/clock';
import type { GoalTotals, Look } from '../statistics/input';
import { plannedParticipants, plannedUplifts, type takenLooks } from '../statistics/planned';
import { correctedAlpha } from '../statistics/significance';
import { armsOf } from './computed-results';
import type { ExperimentFacts } from './experiment-facts';
import type { GoalProgress } from './experiment-results';
import { decisionRules } from './totals';

/**
 * The progress with the intervals of the uplifts by the plan, so that the last day matches the results. Variations
 * that are not in the plan keep their intervals.
 */
export function withPlannedUplifts(
  progress: GoalProgress,
  goal: GoalTotals,
  looks: readonly Look[],
  facts: ExperimentFacts,
  take: typeof takenLooks,
): GoalProgress {
  const uplifts = upliftsByVariation(goal, looks, facts, take);
  const indexes = new Map(looks.map(({ date }, index) => [parseDay(date), index]));
  const lastDay = progress.days.at(-1)?.day;
  return {
    ...progress,
    days: progress.days.map(({ day, variations }) => ({
      day,
      variations: variations.map((standing) => {
        const own = standing.uplift === null ? undefined : uplifts.get(standing.variationId);
        const index = day === lastDay ? looks.length : (indexes.get(day) ?? looks.length);
        return own === undefined ? standing : { ...standing, upliftInterval: own[index] };
      }),
    })),
  };
}

function upliftsByVariation(
  goal: GoalTotals,
  looks: readonly Look[],
  facts: ExperimentFacts,
  take: typeof takenLooks,
): ReadonlyMap<number, ReturnType<typeof plannedUplifts> & object> {
  const arms = armsOf(facts);
  const { plan } = facts;
  const original = arms.find(({ isOriginal }) => isOriginal);
  if (plan === null || original === undefined) {
    return new Map();
  }
  const family = facts.goals.filter(({ isGuardrail }) => isGuardrail === goal.isGuardrail).length;
  const alpha = correctedAlpha(decisionRules(facts), family * (arms.length - 1));
  return new Map(
    arms
      .filter((arm) => !arm.isOriginal && plannedParticipants(plan, [original.id, arm.id]) !== null)
      .flatMap((arm) => {
        const uplifts = plannedUplifts(goal, looks, [original, arm], plan, alpha, take);
        return uplifts === null ? [] : [[arm.id, uplifts] as const];
      }),
  );
}
