import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { Day, Micros } from '../common/time/clock';
import { ENTERED } from '../events/cell.entities';
import type { EstimateSettings } from '../statistics/arm-estimate';
import { metricOf } from '../statistics/pair';
import type { ArmComparison } from '../statistics/goal-comparison';
import type { GoalTotals, Look } from '../statistics/input';
import { significanceFraction } from '../statistics/multiple-testing';
import { armsOf, computedResults, currencyOf, resultsOfCompared } from './computed-results';
import { sampleRatioOf } from './sample-ratio';
import { countedGoal, countsEntry, EVERYBODY, hasWindows, isEverybody, shownDays } from './result-filter';
import { byGoal, goalTotals, hasValues, estimateSettings, summedOverDays } from './totals';
import type { AttachedGoal, ExperimentFacts } from './experiment-facts';
import { ExperimentFactsReader } from './experiment-facts.store';
import type {
  ExperimentReport,
  ExperimentResults,
  GoalHistory,
  GoalProgress,
  ResultFilter,
} from './experiment-results';
import { KnownComparisons } from './known-comparisons';
import { progressInTurns, progressOf, withPlannedUplifts } from './progress';
import { allLooks, hasEarlierLooks, hasPlannedLooks, looksOfGoal } from './planned-looks';
import { CellSum, DailyCellSum, ResultCells } from './result-cells.store';

/** What all goals of one report share. */
interface ReportScope {
  experimentId: number;
  facts: ExperimentFacts;
  filter: ResultFilter;
  asOf: Micros;
  /** The visitors who entered, by day. */
  entries: readonly DailyCellSum[];
  days: readonly Day[];
  settings: ReturnType<typeof estimateSettings>;
  isPlanned: boolean;
}

interface GoalReport {
  goalId: number;
  sums: readonly CellSum[];
  /** Null if the experiment has no planned looks. */
  looks: readonly Look[] | null;
  progress: GoalProgress;
  comparison: ArmComparison[];
}

/**
 * Results for pages and images, computed one goal at a time to avoid blocking the event loop. Every method throws
 * NotFoundError if the experiment does not exist.
 */
@Injectable()
export class ResultsReports {
  constructor(
    private readonly facts: ExperimentFactsReader,
    private readonly cells: ResultCells,
    private readonly comparisons: KnownComparisons,
  ) {}

  /**
   * The statistics of all attached goals, and their progress.
   * @param hasDays whether a goal gets progress for each day; other goals get only the first and the last day
   */
  async read(
    experimentId: number,
    filter: ResultFilter,
    asOf: Micros,
    hasDays: (goalId: number, index: number) => boolean,
  ): Promise<ExperimentReport> {
    const facts = await this.facts.read(experimentId, asOf);
    const scope: ReportScope = {
      experimentId,
      facts,
      filter,
      asOf,
      entries: await this.cells.daily(experimentId, [], filter),
      days: facts.hasResults ? shownDays(facts, filter, asOf) : [],
      settings: estimateSettings(facts),
      isPlanned: hasPlannedLooks(facts, filter),
    };
    const goals: GoalReport[] = [];
    for (const [index, goal] of facts.goals.entries()) {
      await nextTurn();
      goals.push(await this.readGoal(scope, goal, hasDays(goal.id, index)));
    }
    const results = await this.summarize(scope, goals);
    return { results, progress: goals.map(({ progress }) => progress) };
  }

  /** @param isDaily whether the goal gets progress for each day, instead of only the first and the last day */
  private async readGoal(scope: ReportScope, goal: AttachedGoal, isDaily: boolean): Promise<GoalReport> {
    const { experimentId, facts, filter, asOf, entries, days, settings } = scope;
    const counted = countedGoal(goal, filter, asOf);
    const daily =
      isDaily || scope.isPlanned ? await this.cells.dailyOfGoal(experimentId, counted, filter) : null;
    const own =
      daily === null ? await this.cells.totalsOfGoal(experimentId, counted, filter) : summedOverDays(daily);
    const entered = entries.filter(({ goalId, day }) => goalId === ENTERED && countsEntry(counted, day));
    const totals = goalTotals(goal, facts, byGoal([...entered, ...own]));
    const one = { ...facts, goals: [goal] };
    const [plain] =
      isDaily && daily !== null
        ? await progressInTurns(one, days, [...entered, ...daily], settings)
        : atEnds(one, days, [...entered, ...own], settings);
    const looks = scope.isPlanned ? looksOfGoal(goal, facts, [...entries, ...(daily ?? [])], asOf) : null;
    return {
      goalId: goal.id,
      sums: own,
      looks,
      progress: this.asPlanned(plain, totals, looks, facts),
      comparison: this.comparisons.compare(totals, armsOf(facts), settings),
    };
  }

  private async summarize(scope: ReportScope, goals: readonly GoalReport[]): Promise<ExperimentResults> {
    const { experimentId, facts, filter, asOf, entries } = scope;
    const sums = byGoal([...entries, ...goals.flatMap((goal) => goal.sums)]);
    const unfiltered = isEverybody(filter)
      ? sums
      : byGoal(await this.cells.totals(experimentId, [], EVERYBODY));
    const looks = hasEarlierLooks(facts, filter)
      ? await allLooks(this.cells, facts, asOf)
      : scope.isPlanned
        ? new Map(goals.map(({ goalId, looks: own }) => [goalId, own ?? []]))
        : null;
    return resultsOfCompared(
      { facts, sums, unfiltered, filter, asOf, looks },
      goals.map(({ comparison }) => comparison),
      this.comparisons.criticals,
    );
  }

  /** The statistics of all attached goals. */
  async results(experimentId: number, filter: ResultFilter, asOf: Micros): Promise<ExperimentResults> {
    return (await this.read(experimentId, filter, asOf, () => false)).results;
  }

  /** The unfiltered results, with only the primary goal, for the SRM check. */
  async everybody(experimentId: number, asOf: Micros): Promise<ExperimentResults> {
    const all = await this.facts.read(experimentId, asOf);
    const facts = { ...all, goals: all.goals.slice(0, 1) };
    const goals = facts.goals.map((goal) => countedGoal(goal, EVERYBODY, asOf));
    const sums = byGoal(await this.cells.totals(experimentId, goals, EVERYBODY));
    const summed = { facts, sums, unfiltered: sums, filter: EVERYBODY, asOf, looks: null };
    return computedResults(summed, this.comparisons);
  }

  /** The progress of one goal, without its statistics; null if the goal is not attached. */
  async history(
    experimentId: number,
    goalId: number,
    filter: ResultFilter,
    asOf: Micros,
  ): Promise<GoalHistory | null> {
    const facts = await this.facts.read(experimentId, asOf);
    const goal = facts.goals.find(({ id }) => id === goalId);
    if (goal === undefined) {
      return null;
    }
    const counted = countedGoal(goal, filter, asOf);
    const daily = await this.cells.daily(experimentId, [counted], filter);
    const own = daily.filter(({ goalId: id, day }) => id !== ENTERED || countsEntry(counted, day));
    const days = facts.hasResults ? shownDays(facts, filter, asOf) : [];
    const one = { ...facts, goals: [goal] };
    const [progress] = await progressInTurns(one, days, own, estimateSettings(facts));
    const looks = hasPlannedLooks(facts, filter) ? looksOfGoal(goal, facts, daily, asOf) : null;
    const totals = goalTotals(goal, facts, byGoal(summedOverDays(own)));
    return {
      experiment: facts.experiment,
      goal: {
        ...goal,
        hasValue: hasValues(goal),
        metric: metricOf({ counting: goal.counting, hasValue: hasValues(goal) }),
        currency: currencyOf(goal, facts),
        variations: armsOf(facts),
      },
      progress: this.asPlanned(progress, totals, looks, facts),
      sampleRatio: sampleRatioOf(facts, byGoal(summedOverDays(daily))),
      hasWindows: hasWindows(facts.goals),
      method: facts.settings.statistics_method,
      significance: significanceFraction(facts.settings.significance),
    };
  }

  private asPlanned(
    progress: GoalProgress,
    totals: GoalTotals,
    looks: readonly Look[] | null,
    facts: ExperimentFacts,
  ): GoalProgress {
    return looks === null
      ? progress
      : withPlannedUplifts(progress, totals, looks, facts, this.comparisons.criticals);
  }
}

/** The figures of the goals for the last day, and an empty first day. */
function atEnds(
  facts: Pick<ExperimentFacts, 'goals' | 'variations' | 'phases' | 'hasSquares'>,
  days: readonly Day[],
  sums: readonly CellSum[],
  settings: EstimateSettings,
): GoalProgress[] {
  const [first, last] = [days.at(0), days.at(-1)];
  if (first === undefined || last === undefined) {
    return progressOf(facts, [], [], settings);
  }
  const cells = sums.map((sum) => ({ ...sum, day: last }));
  return progressOf(facts, [...new Set([first, last])], cells, settings);
}
