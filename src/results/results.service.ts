import { Injectable } from '@nestjs/common';
import { ApiError, NotFoundError } from '../common/errors/api-errors';
import { formatMicros, formatOptionalMicros, Micros, nowInSeconds } from '../common/time/clock';
import { Config } from '../config/config';
import { ENTERED } from '../events/cell.entities';
import { finalAfter } from '../events/counting-rules';
import { shownLink } from '../experiments/share-link.record';
import { computedResults, isFinal, participantsIn } from './computed-results';
import { sampleRatioOf } from './sample-ratio';
import { CountedGoal, countedGoal, countsEntry, EVERYBODY, isEverybody, shownDays } from './result-filter';
import { byGoal, crossovers, participantsOf, estimateSettings, SumsByGoal, total } from './totals';
import type { ExperimentFacts } from './experiment-facts';
import { ExperimentFactsReader } from './experiment-facts.store';
import type { ExperimentResults, GoalProgress, ResultFilter, ResultsOverview } from './experiment-results';
import { progressInTurns } from './progress';
import { allLooks, hasEarlierLooks, hasPlannedLooks } from './planned-looks';
import { ResultCells } from './result-cells.store';
import { KnownComparisons } from './known-comparisons';
import type { ResultsInfo } from './result.record';
import { SeriesRow, seriesRows } from './series';
import { WaitingEvents } from './result-sources.store';

/** Thrown if the experiment has no participants yet. */
export class NoResultError extends ApiError {
  constructor() {
    super('NO_RESULT');
  }
}

/**
 * Computes results from an experiment's cells. Each method runs a fixed number of statements, none of which reads
 * events. `asOf` is the reference time for time-dependent figures, now by default. Every method throws NotFoundError if
 * the experiment does not exist.
 */
@Injectable()
export class ResultsService {
  constructor(
    private readonly facts: ExperimentFactsReader,
    private readonly cells: ResultCells,
    private readonly comparisons: KnownComparisons,
    private readonly waiting: WaitingEvents,
    private readonly config: Config,
  ) {}

  /** The statistics of all attached goals. If there are no participants, `hasResults` is false and counts are 0. */
  async read(
    experimentId: number,
    filter: ResultFilter,
    asOf: Micros = nowInSeconds(),
  ): Promise<ExperimentResults> {
    const facts = await this.facts.read(experimentId, asOf);
    return this.resultsOf(facts, filter, asOf);
  }

  /** Like `read`, but for all participants and with the progress of the primary goal. */
  async overview(experimentId: number, asOf: Micros): Promise<ResultsOverview> {
    const facts = await this.facts.read(experimentId, asOf);
    const primary = { ...facts, goals: facts.goals.slice(0, 1) };
    const [results, [progress]] = await Promise.all([
      this.resultsOf(facts, EVERYBODY, asOf),
      this.progressOf(primary, EVERYBODY, asOf),
    ]);
    return { results, progress };
  }

  /**
   * The daily series of one attached goal.
   * @throws NoResultError if the experiment has never had a participant
   */
  async series(
    experimentId: number,
    goalId: number,
    filter: ResultFilter,
    asOf: Micros = nowInSeconds(),
  ): Promise<SeriesRow[]> {
    const facts = await this.facts.read(experimentId, asOf);
    const goal = facts.goals.find(({ id }) => id === goalId);
    if (goal === undefined) {
      throw new NotFoundError();
    }
    if (!facts.hasResults) {
      throw new NoResultError();
    }
    const counted = countedGoal(goal, filter, asOf);
    const cells = await this.cells.daily(experimentId, [counted], filter);
    const own = cells.filter(({ goalId: id, day }) => id !== ENTERED || countsEntry(counted, day));
    return seriesRows(goal, facts.variations, shownDays(facts, filter, asOf), own);
  }

  /** Share link and data quality of an experiment's results. */
  async info(experimentId: number, asOf: Micros = nowInSeconds()): Promise<ResultsInfo> {
    const countedBefore = await this.waiting.countedBefore(experimentId);
    const facts = await this.facts.read(experimentId, asOf);
    const sums = byGoal(await this.cells.totals(experimentId, [], EVERYBODY));
    const { isDetectable, untested: _, ...ratio } = sampleRatioOf(facts, sums);
    return {
      ...shownLink(this.config.publicUrl, facts.experiment),
      has_results: facts.hasResults,
      participants: participantsIn(facts, sums),
      first_event_at: formatOptionalMicros(facts.firstEventAt),
      last_event_at: formatOptionalMicros(facts.lastEventAt),
      sample_ratio_mismatch: ratio,
      can_detect_mismatch: isDetectable,
      crossovers: crossovers(sums),
      events_counted_before: formatOptionalMicros(countedBefore),
      ...endOf(facts, asOf),
      phases: phasesOf(facts, sums),
    };
  }

  private async resultsOf(
    facts: ExperimentFacts,
    filter: ResultFilter,
    asOf: Micros,
  ): Promise<ExperimentResults> {
    const { id } = facts.experiment;
    const sums = byGoal(await this.cells.totals(id, countedGoals(facts, filter, asOf), filter));
    const unfiltered = isEverybody(filter) ? sums : byGoal(await this.cells.totals(id, [], EVERYBODY));
    const hasLooks = hasPlannedLooks(facts, filter) || hasEarlierLooks(facts, filter);
    const looks = hasLooks ? await allLooks(this.cells, facts, asOf) : null;
    return computedResults({ facts, sums, unfiltered, filter, asOf, looks }, this.comparisons);
  }

  private async progressOf(
    facts: ExperimentFacts,
    filter: ResultFilter,
    asOf: Micros,
  ): Promise<GoalProgress[]> {
    const cells = await this.cells.daily(facts.experiment.id, countedGoals(facts, filter, asOf), filter);
    const days = facts.hasResults ? shownDays(facts, filter, asOf) : [];
    return progressInTurns(facts, days, cells, estimateSettings(facts));
  }
}

/** When the results end, and whether they are final. */
const endOf = (facts: ExperimentFacts, asOf: Micros) => ({
  ended_at: formatOptionalMicros(facts.runs.at(-1)?.endedAt ?? null),
  counted_until: formatOptionalMicros(finalAfter(facts.experiment.archived_at)),
  is_final: isFinal(facts, asOf),
  revised_at: formatOptionalMicros(facts.revisedAt),
  events_removed_before: formatOptionalMicros(facts.eventsRemovedUntil),
  recomputing: facts.isRecomputing,
});

/** The phases with their times. The last phase lasts as long as the experiment runs. */
const phasesOf = (facts: ExperimentFacts, sums: SumsByGoal): ResultsInfo['phases'] =>
  facts.phases.map(({ number, beganAt, shares }, index) => ({
    number,
    began_at: formatMicros(beganAt),
    ended_at: formatOptionalMicros(facts.phases[index + 1]?.beganAt ?? facts.runs.at(-1)?.endedAt ?? null),
    shares: Object.fromEntries(Object.entries(shares).map(([id, share]) => [id, share / 100])),
    participants: total(participantsOf(facts, sums, number)),
  }));

const countedGoals = ({ goals }: ExperimentFacts, filter: ResultFilter, asOf: Micros): CountedGoal[] =>
  goals.map((goal) => countedGoal(goal, filter, asOf));
