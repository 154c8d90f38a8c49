import { Injectable } from '@nestjs/common';
import type { Day } from '../common/time/days';
import { Database } from '../database/database';
import { exactSum } from '../database/exact-sums';
import { allOf, Condition } from '../database/listing';
import { placeholders } from '../database/row-store';
import { deviceCode } from '../events/device-types';
import { CROSSED, ENTERED } from '../events/result-cell.entity';
import type { ResultFilter } from './experiment-results';

/** What the cells of one goal (or `ENTERED`, `CROSSED`) and variation come to, on one day or on all days. */
export interface CellSum {
  goalId: number;
  variationId: number;
  participants: number;
  converters: number;
  conversions: number;
  /** In 1/10,000 of the goal's unit. */
  value: bigint;
  /** In (1/10,000)². */
  valueSquared: bigint;
}

export interface DailyCellSum extends CellSum {
  day: Day;
}

interface SumRow {
  goal_id: number;
  variation_id: number;
  event_day: Day;
  /* Sums of integers are decimals on MySQL, which the driver gives as text. */
  participants: number | string;
  converters: number | string;
  conversions: number | string;
  value: string;
  value_squared: string;
}

/** Reads the cells that are shown of an experiment, each time by one statement, and so all of one generation. */
@Injectable()
export class ResultCells {
  private readonly sums: string;

  constructor(private readonly database: Database) {
    const { engine } = database;
    this.sums = [
      ...['participants', 'converters', 'conversions'].map((column) => `SUM(c.${column}) AS ${column}`),
      ...['value', 'value_squared'].map((column) => `${exactSum(engine, `c.${column}`)} AS ${column}`),
    ].join(', ');
  }

  /** Sums over all days of the filter, of these goals and of who entered and crossed over. */
  async totals(experimentId: number, goalIds: readonly number[], filter: ResultFilter): Promise<CellSum[]> {
    const rows = await this.read(experimentId, goalIds, filter, 'c.goal_id, c.variation_id');
    return rows.map(toCellSum);
  }

  /** As `totals`, for each day on which anything happened, days ascending within a goal and variation. */
  async daily(
    experimentId: number,
    goalIds: readonly number[],
    filter: ResultFilter,
  ): Promise<DailyCellSum[]> {
    const rows = await this.read(experimentId, goalIds, filter, 'c.goal_id, c.variation_id, c.event_day');
    return rows.map((row) => ({ ...toCellSum(row), day: row.event_day }));
  }

  private read(
    experimentId: number,
    goalIds: readonly number[],
    filter: ResultFilter,
    keys: string,
  ): Promise<SumRow[]> {
    const goals = [CROSSED, ENTERED, ...goalIds];
    const { sql, parameters } = allOf([
      { sql: 'r.experiment_id = ?', parameters: [experimentId] },
      { sql: `c.goal_id IN (${placeholders(goals.length)})`, parameters: goals },
      ...conditionsOf(filter),
    ]);
    return this.database.read.query(
      `SELECT ${keys}, ${this.sums}
         FROM experiment_results r
         JOIN result_cells c ON c.experiment_id = r.experiment_id AND c.generation = r.generation
        WHERE ${sql} GROUP BY ${keys} ORDER BY ${keys}`,
      parameters,
    );
  }
}

/** Whole participants: who entered in the range on one of the devices, and what they did until its end. */
function conditionsOf({ start, end, devices }: ResultFilter): Condition[] {
  return [
    ...(start === null ? [] : [{ sql: 'c.entry_day >= ?', parameters: [start] }]),
    ...(end === null ? [] : [{ sql: 'c.entry_day <= ? AND c.event_day <= ?', parameters: [end, end] }]),
    ...(devices === null
      ? []
      : [{ sql: `c.device IN (${placeholders(devices.length)})`, parameters: devices.map(deviceCode) }]),
  ];
}

function toCellSum(row: SumRow): CellSum {
  return {
    goalId: row.goal_id,
    variationId: row.variation_id,
    participants: Number(row.participants),
    converters: Number(row.converters),
    conversions: Number(row.conversions),
    value: BigInt(row.value),
    valueSquared: BigInt(row.value_squared),
  };
}
