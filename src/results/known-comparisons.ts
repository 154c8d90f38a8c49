import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { ArmComparison, compareGoal } from '../statistics/goal-comparison';
import type { Arm, GoalTotals } from '../statistics/input';

const MAX_GOALS = 2_000;

/**
 * Comparisons of goals, by all that they are computed from. Durations change by the second while an experiment runs,
 * but what its cells come to does not, and comparing is nearly all of the work.
 */
@Injectable()
export class KnownComparisons {
  private readonly known = new LRUCache<string, ArmComparison[]>({ max: MAX_GOALS });

  /** As `compareGoal`. */
  readonly compare = (goal: GoalTotals, arms: readonly Arm[], alpha: number): ArmComparison[] => {
    const key = keyOf(goal, arms, alpha);
    const comparison = this.known.get(key) ?? compareGoal(goal, arms, alpha);
    this.known.set(key, comparison);
    return comparison;
  };
}

function keyOf({ hasValue, direction, totals }: GoalTotals, arms: readonly Arm[], alpha: number): string {
  const counted = arms.map(({ id, name, isOriginal }) => {
    const sums = totals.get(id);
    const counts = sums === undefined ? null : Object.values(sums).map(String);
    return [id, name, isOriginal, counts];
  });
  return JSON.stringify([hasValue, direction, alpha, counted]);
}
