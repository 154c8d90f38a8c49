import { Injectable } from '@nestjs/common';
import { ApiError, NotFoundError } from '../common/errors/api-errors';
import { formatOptionalMicros, Micros, nowInSeconds } from '../common/time/clock';
import { Config } from '../config/config';
import { shareUrl } from '../experiments/share-tokens.service';
import { evaluate } from '../statistics/evaluation';
import type { ExperimentTotals } from '../statistics/input';
import type { SampleRatio } from '../statistics/result';
import { sampleRatio } from '../statistics/sample-ratio';
import { alphaOf, significanceFraction } from '../statistics/significance';
import { filledShares } from '../variations/variation-shares';
import { ExperimentFacts, ExperimentFactsReader } from './experiment-facts';
import type {
  ExperimentResults,
  GoalProgress,
  GoalResults,
  ResultFilter,
  ResultsOverview,
} from './experiment-results';
import { progressOf } from './progress';
import { ResultCells } from './result-cells';
import { KnownComparisons } from './known-comparisons';
import { EVERYBODY } from './result-filter';
import type { ResultsInfo } from './result.record';
import { SeriesRow, seriesRows } from './series';
import { daysRunning, isClosed, shownDays } from './shown-days';
import { byGoal, crossovers, decisionRules, goalTotals, participantsByVariation, SumsByGoal } from './totals';

/** Nobody has taken part in the experiment yet. */
export class NoResultError extends ApiError {
  constructor() {
    super(404, 'No result found for this experiment');
  }
}

/**
 * What the cells of an experiment say. Each answer is computed from a fixed number of statements, none of which reads
 * events. `asOf` is the moment that time-dependent figures are about, the present unless given; every method throws
 * NotFoundError for an experiment that does not exist.
 */
@Injectable()
export class ResultsService {
  constructor(
    private readonly facts: ExperimentFactsReader,
    private readonly cells: ResultCells,
    private readonly comparisons: KnownComparisons,
    private readonly config: Config,
  ) {}

  /** The statistics of all attached goals. An experiment without participants has `hasResults` false, and zeros. */
  async read(
    experimentId: number,
    filter: ResultFilter,
    asOf: Micros = nowInSeconds(),
  ): Promise<ExperimentResults> {
    const facts = await this.facts.read(experimentId);
    return this.resultsOf(facts, filter, asOf);
  }

  /** As `read` for everybody, with how the primary goal stood at the end of each day. */
  async overview(experimentId: number, asOf: Micros): Promise<ResultsOverview> {
    const facts = await this.facts.read(experimentId);
    const primary = { ...facts, goals: facts.goals.slice(0, 1) };
    const [results, [progress]] = await Promise.all([
      this.resultsOf(facts, EVERYBODY, asOf),
      this.progressOf(primary, EVERYBODY, asOf),
    ]);
    return { results, progress };
  }

  /** How all attached goals stood at the end of each day of the filter; no days without participants. */
  async progress(
    experimentId: number,
    filter: ResultFilter,
    asOf: Micros = nowInSeconds(),
  ): Promise<GoalProgress[]> {
    return this.progressOf(await this.facts.read(experimentId), filter, asOf);
  }

  /**
   * What happened for one attached goal, day by day.
   * @throws NoResultError when the experiment never had a participant
   */
  async series(
    experimentId: number,
    goalId: number,
    filter: ResultFilter,
    asOf: Micros = nowInSeconds(),
  ): Promise<SeriesRow[]> {
    const facts = await this.facts.read(experimentId);
    const cells = await this.cells.daily(experimentId, [goalId], filter);
    const goal = facts.goals.find(({ id }) => id === goalId);
    if (goal === undefined) {
      throw new NotFoundError();
    }
    if (!facts.hasResults) {
      throw new NoResultError();
    }
    return seriesRows(goal, facts.variations, shownDays(facts, filter, asOf), cells);
  }

  /** How an experiment's results are shared, and whether they can be trusted. */
  async info(experimentId: number): Promise<ResultsInfo> {
    const facts = await this.facts.read(experimentId);
    const sums = byGoal(await this.cells.totals(experimentId, [], EVERYBODY));
    const { share_token } = facts.experiment;
    return {
      share_token,
      share_url: shareUrl(this.config.publicUrl, share_token),
      has_results: facts.hasResults,
      participants: total(participantsOf(facts, sums)),
      first_event_at: formatOptionalMicros(facts.firstEventAt),
      last_event_at: formatOptionalMicros(facts.lastEventAt),
      sample_ratio_mismatch: sampleRatioOf(facts, sums),
      crossovers: crossovers(sums),
    };
  }

  private async resultsOf(
    facts: ExperimentFacts,
    filter: ResultFilter,
    asOf: Micros,
  ): Promise<ExperimentResults> {
    const { id, name, status } = facts.experiment;
    const sums = byGoal(await this.cells.totals(id, goalIds(facts), filter));
    const ratio = sampleRatioOf(facts, sums);
    const running = daysRunning(facts.runs, filter, asOf);
    return {
      experiment: { id, name, status },
      daysRunning: running,
      hasResults: facts.hasResults,
      participants: total(participantsOf(facts, sums)),
      crossovers: crossovers(sums),
      sampleRatio: ratio,
      significance: significanceFraction(facts.settings.significance),
      correction: facts.settings.statistics_correction,
      goals: this.evaluated(facts, sums, { daysRunning: running, isClosed: isClosed(filter, asOf) }, ratio),
    };
  }

  private async progressOf(
    facts: ExperimentFacts,
    filter: ResultFilter,
    asOf: Micros,
  ): Promise<GoalProgress[]> {
    const cells = await this.cells.daily(facts.experiment.id, goalIds(facts), filter);
    const days = facts.hasResults ? shownDays(facts, filter, asOf) : [];
    return progressOf(facts, days, cells, alphaOf(facts.settings.significance));
  }

  private evaluated(
    facts: ExperimentFacts,
    sums: SumsByGoal,
    time: Pick<ExperimentTotals, 'daysRunning' | 'isClosed'>,
    ratio: SampleRatio,
  ): GoalResults[] {
    const totals = facts.goals.map((goal) => goalTotals(goal, sums));
    const input = {
      rules: decisionRules(facts),
      arms: facts.variations.map(({ id, name, is_original }) => ({ id, name, isOriginal: is_original })),
      goals: totals,
      ...time,
      hasSampleRatioMismatch: ratio.isMismatch,
    };
    const statistics = evaluate(input, this.comparisons.compare);
    return facts.goals.map(({ id, type, name, api_name, direction }, index) => ({
      id,
      type,
      name,
      api_name,
      hasValue: totals[index].hasValue,
      direction,
      variations: statistics[index],
    }));
  }
}

const goalIds = ({ goals }: ExperimentFacts): number[] => goals.map(({ id }) => id);

const total = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);

/** In the order of the variations. */
function participantsOf({ variations }: ExperimentFacts, sums: SumsByGoal): number[] {
  const counted = participantsByVariation(sums);
  return variations.map(({ id }) => counted.get(id) ?? 0);
}

/** Do the participants divide as the shares in force say? */
function sampleRatioOf(facts: ExperimentFacts, sums: SumsByGoal): SampleRatio {
  const shares = filledShares(facts.variations.map((variation) => variation.traffic_allocation));
  return sampleRatio(participantsOf(facts, sums), shares);
}
