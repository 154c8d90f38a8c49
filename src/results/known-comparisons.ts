import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { ArmComparison, compareGoal } from '../statistics/goal-comparison';
import type { Arm, ComparisonSettings, GoalTotals, PhaseTotals } from '../statistics/input';
import { plannedCriticals } from '../statistics/planned-boundaries';

const MAX_BYTES = 16 * 1024 * 1024;
/** Estimated bytes of one variation's figures. */
const BYTES_PER_COMPARISON = 2_000;
const BYTES_PER_BOUNDARY = 8;

/**
 * Caches goal comparisons and plan boundaries by their input. While an experiment is running, durations change every
 * second, but totals do not, and the totals for past days seldom change. These computations are nearly all of the work.
 */
@Injectable()
export class KnownComparisons {
  private readonly known = new LRUCache<string, ArmComparison[]>({
    maxSize: MAX_BYTES,
    sizeCalculation: (comparisons, key) => 2 * key.length + (1 + comparisons.length) * BYTES_PER_COMPARISON,
  });

  private readonly boundaries = new LRUCache<string, number[]>({
    maxSize: MAX_BYTES,
    sizeCalculation: (boundaries, key) => 2 * key.length + (1 + boundaries.length) * BYTES_PER_BOUNDARY,
  });

  /** Like `compareGoal`, with a cache. */
  readonly compare = (
    goal: GoalTotals,
    arms: readonly Arm[],
    settings: ComparisonSettings,
  ): ArmComparison[] => {
    const key = keyOf(goal, arms, settings);
    const comparison = this.known.get(key) ?? compareGoal(goal, arms, settings);
    this.known.set(key, comparison);
    return comparison;
  };

  /** Like `plannedCriticals`, with a cache. */
  readonly criticals: typeof plannedCriticals = (looks, alpha) => {
    const key = JSON.stringify([
      alpha,
      looks.map(({ information, mean, error, isLast }) => [information, mean, error, isLast]),
    ]);
    const boundaries = this.boundaries.get(key) ?? plannedCriticals(looks, alpha);
    this.boundaries.set(key, boundaries);
    return boundaries;
  };
}

function keyOf(
  { hasValue, direction, counting, phases }: GoalTotals,
  arms: readonly Arm[],
  { alpha, tuning, upliftPrior }: ComparisonSettings,
): string {
  const variations = arms.map(({ id, name, isOriginal }) => [id, name, isOriginal, tuning.get(id) ?? null]);
  const counted = phases.map((phase) => arms.map(({ id }) => countsOf(phase, id)));
  return JSON.stringify([hasValue, direction, counting, alpha, upliftPrior, variations, counted]);
}

function countsOf({ shares, totals }: PhaseTotals, id: number): unknown[] {
  return [shares?.get(id) ?? null, Object.values(totals.get(id) ?? {}).map(String)];
}
