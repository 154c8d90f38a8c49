import { Injectable } from '@nestjs/common';
import { Day, dayOf, Micros, nowMicros } from '../../common/time/clock';
import type { Failures } from '../../common/validation/failures';
import { ENTERED } from '../../events/cell.entities';
import type { Run } from '../../events/counting-rules';
import { countedGoal, daysRunning, EVERYBODY } from '../../results/result-filter';
import { hasValues } from '../../results/totals';
import { CellSum, ResultCells } from '../../results/result-cells.store';
import { conversionsAsValues, metricOf, valuesOf } from '../../statistics/pair';
import { meanEstimate } from '../../statistics/means';
import type { ArmTotals } from '../../statistics/input';
import type { Baseline } from '../../statistics/plan';
import type { Metric } from '../../statistics/result';
import { addTotals, NOTHING } from '../../statistics/strata';
import { BaselineStore } from './baseline.store';
import type { PlanExperiment } from './plan.record';

/** The baseline for a plan. */
export interface FoundBaseline {
  baseline: Baseline;
  /** The experiment that provided the baseline; null if the request provided it. */
  source: { experimentId: number; participants: number; dailyParticipants: number } | null;
}

/** Number of days, including today, used for a baseline. */
const DAYS = 28;
const INSTEAD = 'Send baseline_rate, or baseline_mean and baseline_sd instead.';

/** Gets the baseline for a plan from the request or from a goal's results. */
@Injectable()
export class Baselines {
  constructor(
    private readonly store: BaselineStore,
    private readonly cells: ResultCells,
  ) {}

  /** The baseline; null if there are failures, including those that this method adds. */
  async find(
    projectId: number,
    fields: Partial<PlanExperiment>,
    failures: Failures,
  ): Promise<FoundBaseline | null> {
    checkChoice(fields, failures);
    if (failures.any) {
      return null;
    }
    const { goal_id: goalId, experiment_id: experimentId, baseline_rate: rate } = fields;
    if (goalId != null) {
      return this.read(projectId, goalId, experimentId ?? null, failures);
    }
    const baseline =
      rate != null
        ? { rate: rate / 100 }
        : { mean: fields.baseline_mean ?? 0, deviation: fields.baseline_sd ?? 0 };
    return { baseline, source: null };
  }

  private async read(
    projectId: number,
    goalId: number,
    experimentId: number | null,
    failures: Failures,
    now: Micros = nowMicros(),
  ): Promise<FoundBaseline | null> {
    const goal = await this.store.goal(projectId, goalId);
    if (goal === null) {
      failures.add('goal_id', `The project has no goal ${goalId}.`);
    }
    if (experimentId !== null && !(await this.store.hasExperiment(projectId, experimentId))) {
      failures.add('experiment_id', `The project has no experiment ${experimentId}.`);
    }
    if (goal === null || failures.any) {
      return null;
    }
    const start = dayOf(now) - DAYS + 1;
    const counted = countedGoal(goal, EVERYBODY, now);
    const experiment = await this.store.experiment(projectId, goalId, start, experimentId);
    const sums =
      experiment === null ? [] : await this.cells.totals(experiment.id, [counted], { ...EVERYBODY, start });
    const ofOriginal = sums.filter(({ variationId }) => variationId === experiment?.original);
    const participants = enteredIn(ofOriginal);
    const baseline = baselineOf(
      ofOriginal.filter(({ goalId: id }) => id === goalId),
      participants,
      metricOf({ counting: goal.counting, hasValue: hasValues(goal) }),
    );
    if (experiment === null || baseline === null) {
      const ofExperiment = experiment === null ? '' : ` of experiment ${experiment.id}`;
      failures.add(
        'goal_id',
        `The results${ofExperiment} from the last ${DAYS} days do not provide a baseline for the goal. ${INSTEAD}`,
      );
      return null;
    }
    const days = daysInRuns(await this.store.runs(experiment.id), experiment.firstDay, now);
    const dailyParticipants = enteredIn(sums) / days;
    return { baseline, source: { experimentId: experiment.id, participants, dailyParticipants } };
  }
}

const enteredIn = (sums: readonly CellSum[]): number =>
  sums.reduce((total, sum) => total + (sum.goalId === ENTERED ? sum.participants : 0), 0);

/**
 * The number of days that the experiment was running, from the first day until now. Only days within runs count,
 * because visitors enter only during runs. The number is at least 1. If the runs are unknown, all days until today
 * count.
 */
function daysInRuns(runs: readonly Run[], first: Day, now: Micros): number {
  const days = daysRunning(runs, { start: first, end: null }, now);
  return days === 0 ? dayOf(now) - first + 1 : Math.max(1, days);
}

/** The baseline; null if nothing has been measured or the values do not vary. */
function baselineOf(sums: readonly CellSum[], participants: number, metric: Metric): Baseline | null {
  if (metric === 'conversion') {
    const rate = sums.reduce((total, { converters }) => total + converters, 0) / participants;
    return rate > 0 && rate < 1 ? { rate } : null;
  }
  const ofGoal = sums
    .map((sum) => ({ ...sum, participants: 0 }))
    .reduce<ArmTotals>(addTotals, { ...NOTHING, participants });
  const values = metric === 'count' ? conversionsAsValues(ofGoal) : valuesOf(ofGoal);
  if (values.participants < 2) {
    return null;
  }
  const { value, variance } = meanEstimate(values);
  return variance > 0 && value !== 0
    ? { mean: value, deviation: Math.sqrt(values.participants * variance) }
    : null;
}

/** Rejects a request that does not specify exactly one baseline. */
function checkChoice(fields: Partial<PlanExperiment>, failures: Failures): void {
  const {
    goal_id: goal,
    experiment_id: experiment,
    baseline_rate: rate,
    baseline_mean: mean,
    baseline_sd: deviation,
  } = fields;
  const isMean = mean != null || deviation != null;
  const given = [
    goal != null && 'goal_id',
    rate != null && 'baseline_rate',
    isMean && 'baseline_mean',
  ].filter((name) => name !== false);
  if (failures.has('goal_id') || failures.has('baseline_rate') || failures.has('baseline_mean')) {
    return;
  }
  if (given.length === 0) {
    failures.add(
      'goal_id',
      `A baseline is missing: send goal_id, baseline_rate, or baseline_mean and baseline_sd.`,
    );
  }
  for (const name of given.slice(1)) {
    failures.add(name, `The request has more than one baseline: send only one of ${given.join(', ')}.`);
  }
  if (isMean && (mean == null || deviation == null) && !failures.has('baseline_sd')) {
    failures.add(
      mean == null ? 'baseline_mean' : 'baseline_sd',
      'Send baseline_mean and baseline_sd together.',
    );
  }
  if (experiment != null && goal == null) {
    failures.add('experiment_id', 'The experiment_id requires a goal_id.');
  }
}
