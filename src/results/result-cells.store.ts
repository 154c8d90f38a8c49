import { Injectable } from '@nestjs/common';
import { groupBy } from '../common/lists/collections';
import { Day, DAY_MICROS } from '../common/time/clock';
import { allOf, type Condition, exactSum } from '../database/dialect';
import { Database } from '../database/database';
import { placeholders } from '../database/row-store';
import { COUNTS, EXACT_SUMS } from '../events/attribution';
import { CROSSED, ENTERED } from '../events/cell.entities';
import { deviceCode } from '../events/device-types';
import { type CountedGoal, countsEntry } from './result-filter';
import type { ResultFilter } from './experiment-results';

/** The sum of the cells of one goal (or `ENTERED`, `CROSSED`), variation and phase, on one day or on all days. */
export interface CellSum {
  goalId: number;
  variationId: number;
  /** Phase of the first exposure. */
  phase: number;
  /** Null for all days. */
  day: Day | null;
  participants: number;
  converters: number;
  conversions: number;
  /** Sum of participants' total values, each up to the goal's cap, in ten-thousandths of the goal's unit. */
  value: bigint;
  /** Sum of the squares of those capped total values, in squared ten-thousandths of the unit. */
  valueSquared: bigint;
  /** Sum of participants' total values without the cap, in ten-thousandths of the goal's unit. */
  uncappedValue: bigint;
  /** Sum of squared numbers of conversions. Meaningless if `hasSquares` in the facts is false. */
  conversionsSquared: bigint;
  /** Sum of products of total value (up to the cap) and number of conversions. Meaningless if `hasSquares` is false. */
  valueByConversions: bigint;
}

export interface DailyCellSum extends CellSum {
  day: Day;
}

export interface EntryCellSum extends DailyCellSum {
  entryDay: Day;
}

interface SumRow {
  goal_id: number;
  variation_id: number;
  phase: number;
  day: Day | null;
  entry_day: Day | null;
  /* On MySQL, sums of integers are decimals, which the driver returns as strings. */
  participants: number | string;
  converters: number | string;
  conversions: number | string;
  value: string;
  value_excess: string;
  value_squared: string;
  conversions_squared: string;
  value_by_conversions: string;
}

type Table = 'result_cells' | 'entry_cells';

/** A group of goals whose cells are summed in the same way. */
interface Selection {
  goals: number[];
  /** SQL expression for the day to group by. */
  day: 'NULL' | 'c.entry_day' | 'c.event_day';
  conditions: Condition[];
  /** Whether the conditions need the event days. */
  isByDay: boolean;
  /** Whether to group by the day of entry as well. */
  hasEntryDay?: boolean;
}

/** Reads the cells of an experiment. Each result comes from one statement, so its cells belong to one generation. */
@Injectable()
export class ResultCells {
  private readonly sums: string;

  constructor(private readonly database: Database) {
    const { engine } = database;
    this.sums = [
      ...COUNTS.map((column) => `SUM(c.${column}) AS ${column}`),
      ...EXACT_SUMS.map((column) => `${exactSum(engine, `c.${column}`)} AS ${column}`),
    ].join(', ');
  }

  /**
   * Sums over all days of the filter, for these goals, for participants and for crossovers. If a goal excludes
   * participants by their day of entry, participants are grouped by that day.
   */
  async totals(
    experimentId: number,
    goals: readonly CountedGoal[],
    filter: ResultFilter,
  ): Promise<CellSum[]> {
    const isByEntry = goals.some(({ lastEntry }) => lastEntry !== null);
    const entries = [
      selectionOf([CROSSED], 'NULL'),
      selectionOf([ENTERED], isByEntry ? 'c.entry_day' : 'NULL'),
    ];
    return this.readTotals(experimentId, [...entries, ...selectionsOf(goals, 'NULL')], filter);
  }

  /** Like `totals`, for each day with data, in ascending order within a goal, variation and phase. */
  async daily(
    experimentId: number,
    goals: readonly CountedGoal[],
    filter: ResultFilter,
  ): Promise<DailyCellSum[]> {
    const entries = selectionOf([CROSSED, ENTERED], 'c.event_day');
    return this.readDaily(experimentId, [entries, ...selectionsOf(goals, 'c.event_day')], filter);
  }

  /** Like `totals`, but for one goal and without participants. */
  async totalsOfGoal(experimentId: number, goal: CountedGoal, filter: ResultFilter): Promise<CellSum[]> {
    return this.readTotals(experimentId, selectionsOf([goal], 'NULL'), filter);
  }

  /** Like `daily`, but for one goal and without participants. */
  async dailyOfGoal(experimentId: number, goal: CountedGoal, filter: ResultFilter): Promise<DailyCellSum[]> {
    return this.readDaily(experimentId, selectionsOf([goal], 'c.event_day'), filter);
  }

  private async readDaily(
    experimentId: number,
    selections: readonly Selection[],
    filter: ResultFilter,
  ): Promise<DailyCellSum[]> {
    const rows = await this.read('result_cells', experimentId, selections, daysUntilEnd(filter));
    return rows.map((row) => ({ ...toCellSum(row), day: row.day ?? 0 }));
  }

  /** Sums of a goal and of participants, for each day of entry and each day with data. */
  async byEntryDay(experimentId: number, goal: CountedGoal, filter: ResultFilter): Promise<EntryCellSum[]> {
    const entered = selectionOf([ENTERED], 'c.event_day');
    const selections = [entered, ...selectionsOf([goal], 'c.event_day')].map((each) => ({
      ...each,
      hasEntryDay: true,
    }));
    const rows = await this.read('result_cells', experimentId, selections, daysUntilEnd(filter));
    return rows
      .map((row) => ({ ...toCellSum(row), day: row.day ?? 0, entryDay: row.entry_day ?? 0 }))
      .filter(({ goalId, day }) => goalId !== ENTERED || countsEntry(goal, day));
  }

  /**
   * Reads the sums by entry day, which are sufficient if there are no events after the end date. Otherwise, reads the
   * daily cells.
   */
  private async readTotals(
    experimentId: number,
    selections: readonly Selection[],
    filter: ResultFilter,
  ): Promise<CellSum[]> {
    const whole = await this.read('entry_cells', experimentId, selections, allDays(filter));
    const rows =
      whole.length > 0 || filter.end === null
        ? whole
        : await this.read('result_cells', experimentId, selections, daysUntilEnd(filter));
    return rows.map(toCellSum);
  }

  private read(
    table: Table,
    experimentId: number,
    selections: readonly Selection[],
    conditions: readonly Condition[],
  ): Promise<SumRow[]> {
    const parts = selections.map((selection) => this.part(table, experimentId, selection, conditions));
    return this.database.read.query(
      `${parts.map(({ sql }) => sql).join(' UNION ALL ')} ORDER BY goal_id, variation_id, phase, day`,
      parts.flatMap(({ parameters }) => parameters),
    );
  }

  private part(
    table: Table,
    experimentId: number,
    { goals, day, conditions: own, isByDay, hasEntryDay = false }: Selection,
    conditions: readonly Condition[],
  ): Condition {
    const { sql, parameters } = allOf([
      { sql: 'r.experiment_id = ?', parameters: [experimentId] },
      { sql: `c.goal_id IN (${placeholders(goals.length)})`, parameters: goals },
      ...own,
      ...conditions,
    ]);
    const keys = 'c.goal_id, c.variation_id, c.phase';
    const groups = [keys, ...(day === 'NULL' ? [] : [day]), ...(hasEntryDay ? ['c.entry_day'] : [])];
    return {
      sql: `SELECT ${keys}, ${day} AS day, ${hasEntryDay ? 'c.entry_day' : 'NULL'} AS entry_day, ${this.sums}
         FROM experiment_results r
         JOIN ${isByDay ? 'result_cells' : table} c
           ON c.experiment_id = r.experiment_id AND c.generation = r.generation
        WHERE ${sql} GROUP BY ${groups.join(', ')}`,
      parameters,
    };
  }
}

const selectionOf = (goals: number[], day: Selection['day'], conditions: Condition[] = []): Selection => ({
  goals,
  day,
  conditions,
  isByDay: conditions.length > 0,
});

/** The cells for the goals. Each goal's cells are limited to its conversion window. */
function selectionsOf(goals: readonly CountedGoal[], day: Selection['day']): Selection[] {
  const groups = groupBy(goals, ({ windowDays, lastEntry }) => `${windowDays} ${lastEntry}`);
  return [...groups.values()].map((own) =>
    selectionOf(
      own.map(({ id }) => id),
      day,
      withinWindow(own[0]),
    ),
  );
}

const withinWindow = ({ windowDays, lastEntry }: Omit<CountedGoal, 'id'>): Condition[] => [
  ...(windowDays === null ? [] : [{ sql: 'c.event_day <= c.entry_day + ?', parameters: [windowDays] }]),
  ...(lastEntry === null ? [] : [{ sql: 'c.entry_day <= ?', parameters: [lastEntry] }]),
];

/** Conditions that select participants who entered on or after the first day, on one of the devices. */
function entriesOf({ start, devices }: ResultFilter): Condition[] {
  return [
    ...(start === null ? [] : [{ sql: 'c.entry_day >= ?', parameters: [start] }]),
    ...(devices === null
      ? []
      : [{ sql: `c.device IN (${placeholders(devices.length)})`, parameters: devices.map(deviceCode) }]),
  ];
}

/** Like `entriesOf`, with entries and conversions only until the last day. */
function daysUntilEnd(filter: ResultFilter): Condition[] {
  const { end } = filter;
  const until = (day: Day): Condition => ({
    sql: 'c.entry_day <= ? AND c.event_day <= ?',
    parameters: [day, day],
  });
  return [...entriesOf(filter), ...(end === null ? [] : [until(end)])];
}

/** Like `daysUntilEnd`, but without event days. Selects nothing if the experiment has data after the last day. */
function allDays(filter: ResultFilter): Condition[] {
  const { end } = filter;
  const nothingAfter = (day: Day): Condition => ({
    sql: 'r.last_event_at < ?',
    parameters: [(day + 1) * DAY_MICROS],
  });
  return [...entriesOf(filter), ...(end === null ? [] : [nothingAfter(end)])];
}

function toCellSum(row: SumRow): CellSum {
  return {
    goalId: row.goal_id,
    variationId: row.variation_id,
    phase: row.phase,
    day: row.day,
    participants: Number(row.participants),
    converters: Number(row.converters),
    conversions: Number(row.conversions),
    value: BigInt(row.value) - BigInt(row.value_excess),
    valueSquared: BigInt(row.value_squared),
    uncappedValue: BigInt(row.value),
    conversionsSquared: BigInt(row.conversions_squared),
    valueByConversions: BigInt(row.value_by_conversions),
  };
}
