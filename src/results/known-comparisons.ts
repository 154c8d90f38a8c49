import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { ArmComparison, compareGoal } from '../statistics/goal-comparison';
import type {
  Arm,
  ComparisonSettings,
  ExperimentPlan,
  GoalTotals,
  Look,
  PhaseTotals,
} from '../statistics/input';
import { TakenLook, takenLooks } from '../statistics/planned';

const MAX_BYTES = 16 * 1024 * 1024;
/** Estimated bytes of one variation's figures. */
const BYTES_PER_COMPARISON = 2_000;
const BYTES_PER_LOOK = 500;

/**
 * Caches goal comparisons and plan looks by their input. While an experiment is running, durations change every second,
 * but totals do not, and totals of past days seldom change. Nearly all the work is in these computations.
 */
@Injectable()
export class KnownComparisons {
  private readonly known = new LRUCache<string, ArmComparison[]>({
    maxSize: MAX_BYTES,
    sizeCalculation: (comparisons, key) => 2 * key.length + (1 + comparisons.length) * BYTES_PER_COMPARISON,
  });

  private readonly taken = new LRUCache<string, TakenLook[]>({
    maxSize: MAX_BYTES,
    sizeCalculation: (looks, key) => 2 * key.length + (1 + looks.length) * BYTES_PER_LOOK,
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

  /** Like `takenLooks`, with a cache. */
  readonly take: typeof takenLooks = (goal, looks, pair, plan, alpha) => {
    const key = keyOfLooks(goal, looks, pair, plan, alpha);
    const taken = this.taken.get(key) ?? takenLooks(goal, looks, pair, plan, alpha);
    this.taken.set(key, taken);
    return taken;
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

function keyOfLooks(
  { hasValue, counting }: Pick<GoalTotals, 'hasValue' | 'counting'>,
  looks: readonly Look[],
  pair: readonly [Arm, Arm],
  plan: ExperimentPlan,
  alpha: number,
): string {
  const counted = looks.map(({ date, daysRunning, phases }) => [
    date,
    daysRunning,
    phases.map((phase) => pair.map(({ id }) => countsOf(phase, id))),
  ]);
  return JSON.stringify([hasValue, counting, alpha, pair, { ...plan, shares: [...plan.shares] }, counted]);
}

function countsOf({ shares, totals }: PhaseTotals, id: number): unknown[] {
  return [shares?.get(id) ?? null, Object.values(totals.get(id) ?? {}).map(String)];
}
