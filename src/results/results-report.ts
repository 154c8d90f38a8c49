import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { Day, Micros } from '../common/time/clock';
import { ENTERED } from '../events/cell.entities';
import type { EstimateSettings } from '../statistics/arm-estimate';
import { metricOf } from '../statistics/pair';
import type { ArmComparison } from '../statistics/goal-comparison';
import type { GoalTotals, Look } from '../statistics/input';
import { significanceFraction } from '../statistics/multiple-testing';
import { armsOf, computedResults, currencyOf, resultsOfCompared, sampleRatioOf } from './computed-results';
import { countedGoal, countsEntry, EVERYBODY, isEverybody, shownDays } from './result-filter';
import { byGoal, goalTotals, hasValues, estimateSettings, summedOverDays } from './totals';
import type { ExperimentFacts } from './experiment-facts';
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
import { CellSum, ResultCells } from './result-cells.store';

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
    const entries = await this.cells.daily(experimentId, [], filter);
    const all: CellSum[] = [...entries];
    const progress: GoalProgress[] = [];
    const comparisons: ArmComparison[][] = [];
    const days = facts.hasResults ? shownDays(facts, filter, asOf) : [];
    const settings = estimateSettings(facts);
    const looks = hasPlannedLooks(facts, filter) ? new Map<number, Look[]>() : null;
    for (const [index, goal] of facts.goals.entries()) {
      await nextTurn();
      const counted = countedGoal(goal, filter, asOf);
      const isDaily = hasDays(goal.id, index);
      const daily =
        isDaily || looks !== null ? await this.cells.dailyOfGoal(experimentId, counted, filter) : null;
      const own =
        daily === null ? await this.cells.totalsOfGoal(experimentId, counted, filter) : summedOverDays(daily);
      const entered = entries.filter(({ goalId, day }) => goalId === ENTERED && countsEntry(counted, day));
      const totals = goalTotals(goal, facts, byGoal([...entered, ...own]));
      const one = { ...facts, goals: [goal] };
      const [plain] =
        isDaily && daily !== null
          ? await progressInTurns(one, days, [...entered, ...daily], settings)
          : atEnds(one, days, [...entered, ...own], settings);
      looks?.set(goal.id, looksOfGoal(goal, facts, [...entries, ...(daily ?? [])], asOf));
      progress.push(this.asPlanned(plain, totals, looks?.get(goal.id), facts));
      all.push(...own);
      comparisons.push(this.comparisons.compare(totals, armsOf(facts), settings));
    }
    const sums = byGoal(all);
    const unfiltered = isEverybody(filter)
      ? sums
      : byGoal(await this.cells.totals(experimentId, [], EVERYBODY));
    const ofAll = hasEarlierLooks(facts, filter) ? await allLooks(this.cells, facts, asOf) : looks;
    const summed = { facts, sums, unfiltered, filter, asOf, looks: ofAll };
    return { results: await resultsOfCompared(summed, comparisons, this.comparisons.criticals), progress };
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
    const looks = hasPlannedLooks(facts, filter) ? looksOfGoal(goal, facts, daily, asOf) : undefined;
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
      method: facts.settings.statistics_method,
      significance: significanceFraction(facts.settings.significance),
    };
  }

  private asPlanned(
    progress: GoalProgress,
    totals: GoalTotals,
    looks: readonly Look[] | undefined,
    facts: ExperimentFacts,
  ): GoalProgress {
    return looks === undefined
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
