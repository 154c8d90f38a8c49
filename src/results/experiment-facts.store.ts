import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { NotFoundError } from '../common/errors/api-errors';
import { type Day, dayOf, formatDay, Micros, nowMicros } from '../common/time/clock';
import { hundredths, numberOrNull } from '../database/columns';
import { Database } from '../database/database';
import { RowStore } from '../database/row-store';
import { ENTERED } from '../events/cell.entities';
import { finalAfter, parseRules } from '../events/counting-rules';
import { areCountedBy, readCountingRules, readRuns } from '../events/counting-rules.store';
import { IS_OUTDATED } from '../events/rebuild.store';
import { fixedPlanOf, phasesOf } from '../experiments/experiment-run.store';
import type { Experiment } from '../experiments/experiment.entity';
import type { Goal } from '../resources/goals/goal.entity';
import { Variation } from '../experiments/variations/variation.entity';
import type { ExperimentPlan } from '../statistics/input';
import { plannedParticipants } from '../statistics/planned';
import { tuningOfPair } from '../statistics/sequential';
import { AttachedGoal, EXPERIMENT, ExperimentFacts, GOAL, SETTINGS, VARIATION } from './experiment-facts';
import { planOf } from './planned-looks';

/** UTC days, both inclusive. */
interface DayRange {
  first: Day;
  last: Day;
}

interface EnteredRow {
  variation_id: number;
  /* On MySQL, sums of integers are decimals, which the driver returns as strings. */
  participants: number | string;
}

/** The participants who entered on these days, by variation id, on any device and in any phase. */
async function participantsEntered(
  manager: EntityManager,
  experimentId: number,
  { first, last }: DayRange,
): Promise<Map<number, number>> {
  const rows: EnteredRow[] = await manager.query(
    `SELECT c.variation_id, SUM(c.participants) AS participants
       FROM experiment_results r
       JOIN entry_cells c ON c.experiment_id = r.experiment_id AND c.generation = r.generation
      WHERE r.experiment_id = ? AND c.goal_id = ${ENTERED} AND c.entry_day BETWEEN ? AND ?
      GROUP BY c.variation_id`,
    [experimentId, first, last],
  );
  return new Map(rows.map(({ variation_id, participants }) => [variation_id, Number(participants)]));
}

/** An id that no variation has, for an experiment without an original. */
const NONE = 0;

/**
 * The days whose participants determine the traffic of an experiment: the first `min_runtime_days` UTC days from the
 * start. Null until these days are over. Permanently null if the result becomes final before then or there are no such
 * days.
 */
function daysOfTraffic(
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
 * The tuning of each variation's comparison with the original, by variation id. The tuning is the planned sample size,
 * even if the plan was removed. If the variation has no plan, the tuning is estimated from traffic.
 * @param entered the participants on these first days, by variation id; null until the days are over
 */
function tuningByVariation(
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

type Settings = ExperimentFacts['settings'];

interface HeadRow extends Settings {
  id: number;
  name: string;
  status: Experiment['status'];
  shared: number | boolean;
  share_token: string;
  first_event_at: string | number | null;
  last_event_at: string | number | null;
  has_results: string | number | null;
  archived_at: string | number | null;
  traffic_in_ranges: number | boolean;
  planned_participants: number | null;
  planned_end: number | null;
  is_decided: number | string;
  revised_at: string | number | null;
  events_removed_until: string | number | null;
  is_outdated: number | string;
  generation: number | null;
  rules: string | null;
  seen_from: string | number | null;
  seen_until: string | number | null;
}

type Head = Omit<
  ExperimentFacts,
  'variations' | 'goals' | 'runs' | 'phases' | 'plan' | 'isRecomputing' | 'tuning'
>;

/** Reads the facts with a constant number of statements, for any number of goals and variations. */
@Injectable()
export class ExperimentFactsReader {
  private readonly variations: RowStore<Variation>;

  constructor(private readonly database: Database) {
    this.variations = new RowStore(database, Variation);
  }

  /**
   * @param asOf the reference time for time-dependent facts
   * @throws NotFoundError if there is no such experiment
   */
  async read(experimentId: number, asOf: Micros): Promise<ExperimentFacts> {
    const [row, variations, goals, runs, phases, fixedPlan] = await Promise.all([
      this.head(experimentId),
      this.variations.select(this.database.read, VARIATION, 'experiment_id = ?', [experimentId]),
      this.attachedGoals(experimentId),
      readRuns(this.database.read, experimentId),
      phasesOf(this.database.read, experimentId),
      fixedPlanOf(this.database.read, experimentId),
    ]);
    const isRecomputing = Number(row.is_outdated) === 1 && (await this.isRecounted(row));
    const plan = planOf(fixedPlan, phases, variations);
    const known = { ...headOf(row), variations, goals, runs, phases, plan, isRecomputing };
    return { ...known, tuning: await this.tuningOf(known, asOf) };
  }

  private async tuningOf(
    facts: Omit<ExperimentFacts, 'tuning'>,
    asOf: Micros,
  ): Promise<ExperimentFacts['tuning']> {
    const days = daysOfTraffic(facts, asOf);
    const entered =
      days === null ? null : await participantsEntered(this.database.read, facts.experiment.id, days);
    return tuningByVariation(facts.variations, facts.plan, entered);
  }

  /** The facts that fit into one row: the experiment, its project's rules, and the state of its results. */
  private async head(experimentId: number): Promise<HeadRow> {
    const [row]: HeadRow[] = await this.database.read.query(
      `SELECT ${EXPERIMENT.map((column) => `e.${column}`).join(', ')},
              ${SETTINGS.map((column) => `p.${column}`).join(', ')},
              e.decision IS NOT NULL AS is_decided, r.first_event_at, r.last_event_at, r.revised_at, r.events_removed_until,
              CASE WHEN ${IS_OUTDATED} THEN 1 ELSE 0 END AS is_outdated, r.generation, r.rules, r.seen_from, r.seen_until, EXISTS (
                SELECT 1 FROM entry_cells c
                 WHERE c.experiment_id = r.experiment_id AND c.generation = r.generation
                   AND c.goal_id = ${ENTERED} AND c.participants > 0) AS has_results
         FROM experiments e
         JOIN projects p ON p.id = e.project_id
         LEFT JOIN experiment_results r ON r.experiment_id = e.id
        WHERE e.id = ?`,
      [experimentId],
    );
    if (row === undefined) {
      throw new NotFoundError();
    }
    return row;
  }

  private async attachedGoals(experimentId: number): Promise<AttachedGoal[]> {
    const rows: (Pick<Goal, (typeof GOAL)[number]> & { is_guardrail: number | boolean })[] =
      await this.database.read.query(
        `SELECT ${GOAL.map((column) => `g.${column}`).join(', ')}, j.is_guardrail
           FROM experiment_goals j JOIN goals g ON g.id = j.goal_id
          WHERE j.experiment_id = ? ORDER BY j.is_guardrail, j.position`,
        [experimentId],
      );
    return rows.map(({ is_guardrail, ...goal }) => ({ ...goal, isGuardrail: Boolean(is_guardrail) }));
  }

  /** Whether the changed rules count differently, so that the cells are being rebuilt. */
  private async isRecounted(row: HeadRow): Promise<boolean> {
    const { read } = this.database;
    const rules = (await readCountingRules(read, [row.id])).get(row.id);
    const cells = {
      experimentId: row.id,
      generation: row.generation ?? 0,
      rules: parseRules(row.rules),
    };
    const seen = { first: numberOrNull(row.seen_from), last: numberOrNull(row.seen_until) };
    return rules !== undefined && !(await areCountedBy(read, cells, rules, seen, nowMicros()));
  }
}

function headOf(row: HeadRow): Head {
  const { id, name, status, share_token, significance, min_conversions, min_runtime_days } = row;
  return {
    experiment: {
      id,
      name,
      status,
      shared: Boolean(row.shared),
      share_token,
      archived_at: numberOrNull(row.archived_at),
      traffic_in_ranges: Boolean(row.traffic_in_ranges),
      planned_participants: row.planned_participants,
      planned_end: row.planned_end === null ? null : formatDay(row.planned_end),
    },
    settings: {
      significance: Number(hundredths.from(significance)),
      min_conversions,
      min_runtime_days,
      statistics_method: row.statistics_method,
      statistics_correction: row.statistics_correction,
      uplift_prior: hundredths.from(row.uplift_prior) as number | null,
      currency: row.currency,
    },
    isDecided: Number(row.is_decided) === 1,
    hasResults: Number(row.has_results) === 1,
    firstEventAt: numberOrNull(row.first_event_at),
    lastEventAt: numberOrNull(row.last_event_at),
    revisedAt: numberOrNull(row.revised_at),
    eventsRemovedUntil: numberOrNull(row.events_removed_until),
    hasSquares: parseRules(row.rules).hasSquares,
  };
}
