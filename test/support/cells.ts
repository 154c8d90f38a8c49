import { DAY_MICROS, dayOf, type Micros, parseDay } from '../../src/common/time/clock';
import type { CellChange } from '../../src/events/cell-changes';
import { CellStore } from '../../src/events/cells.store';
import { DeviceType, deviceCode } from '../../src/events/device-types';
import type { Tx } from '../../src/database/database';
import { CROSSED, ENTERED } from '../../src/events/cell.entities';
import type { TestApi } from './api';

/** The counts of a cell; 0 by default. */
export interface Happening {
  participants?: number;
  converters?: number;
  conversions?: number;
  /** In 1/10,000 of the goal's unit. */
  value?: bigint;
  valueSquared?: bigint;
  /** The part of the value above the goal's cap. */
  valueExcess?: bigint;
}

/** The key of a cell. Days are `YYYY-MM-DD`; by default, entry and event are on the same day. */
export interface Place {
  variation: number;
  day: string;
  entered?: string;
  device?: DeviceType;
  /** 1 by default. */
  phase?: number;
}

interface Row extends Required<Happening> {
  goal: number;
  place: Place;
}

const NOTHING = {
  participants: 0,
  converters: 0,
  conversions: 0,
  value: 0n,
  valueSquared: 0n,
  valueExcess: 0n,
};

export const dayNumber = (text: string): number => {
  const day = parseDay(text);
  if (day === null) {
    throw new Error(`${text} is no day`);
  }
  return day;
};

const entryDay = ({ day, entered = day }: Place): number => dayNumber(entered);

/** The current UTC day, as a day number. */
export const today = (): number => dayOf(Date.now() * 1000);

/** Writes result cells as attribution does: collects them, then stores them with a new version. */
export class Cells {
  private rows: Row[] = [];

  constructor(
    private readonly api: TestApi,
    readonly experiment: number,
  ) {}

  /** Adds participants. */
  entered(place: Place, participants: number): this {
    return this.add(ENTERED, place, { participants });
  }

  /** Adds crossovers: participants who were later exposed to another variation. */
  crossed(place: Place, participants: number): this {
    return this.add(CROSSED, place, { participants });
  }

  /** Adds conversions; one event per converter by default. */
  converted(goal: number, place: Place, happening: Happening): this {
    return this.add(goal, place, { conversions: happening.converters ?? 0, ...happening });
  }

  /** Stores the collected cells, in the current generation or another one. */
  async store({ generation = 1, shown = true } = {}): Promise<void> {
    const rows = this.rows;
    this.rows = [];
    await this.api.database.transaction(async (tx) => {
      await this.note(tx, generation, shown, rows);
      const changes = rows.map((row) => changeOf(this.experiment, row));
      await new CellStore(this.api.database).add(tx, generation, changes);
    });
  }

  /** Records that the results have changed, with the times of the first and last event. */
  private async note(tx: Tx, generation: number, shown: boolean, rows: readonly Row[]): Promise<void> {
    const first = Math.min(...rows.map(({ place }) => entryDay(place))) * DAY_MICROS + 1;
    const last = (Math.max(...rows.map(({ place }) => dayNumber(place.day))) + 1) * DAY_MICROS - 1;
    const [known]: Record<'first_event_at' | 'last_event_at', number | string>[] = await tx.query(
      'SELECT first_event_at, last_event_at FROM experiment_results WHERE experiment_id = ?',
      [this.experiment],
    );
    if (known === undefined) {
      await tx.query(
        'INSERT INTO experiment_results (experiment_id, version, generation, first_event_at, last_event_at) VALUES (?, 1, ?, ?, ?)',
        [this.experiment, generation, first, last],
      );
    } else if (shown) {
      await tx.query(
        'UPDATE experiment_results SET version = version + 1, generation = ?, first_event_at = ?, last_event_at = ? WHERE experiment_id = ?',
        [
          generation,
          Math.min(first, Number(known.first_event_at)),
          Math.max(last, Number(known.last_event_at)),
          this.experiment,
        ],
      );
    }
  }

  private add(goal: number, place: Place, happening: Happening): this {
    this.rows.push({ goal, place, ...NOTHING, ...happening });
    return this;
  }
}

function changeOf(experiment: number, { goal, place, valueSquared, valueExcess, ...sums }: Row): CellChange {
  return {
    ...sums,
    experiment_id: experiment,
    goal_id: goal,
    variation_id: place.variation,
    phase: place.phase ?? 1,
    device: deviceCode(place.device ?? 'desktop'),
    entry_day: entryDay(place),
    event_day: dayNumber(place.day),
    value_squared: valueSquared,
    value_excess: valueExcess,
    conversions_squared: 0n,
    value_by_conversions: 0n,
  };
}

/** Records a run of the experiment from noon UTC on the `start` day to noon UTC on the `end` day. */
export async function ranFrom(api: TestApi, experiment: number, start: string, end: string): Promise<void> {
  const noon = (day: string): number => dayNumber(day) * DAY_MICROS + DAY_MICROS / 2;
  await ranBetween(api, experiment, noon(start), noon(end));
}

/** Records a run of the experiment from `start` to `end`. */
export async function ranBetween(
  api: TestApi,
  experiment: number,
  start: Micros,
  end: Micros,
): Promise<void> {
  await api.database.transaction((tx) =>
    tx.query('INSERT INTO experiment_runs (experiment_id, started_at, ended_at) VALUES (?, ?, ?)', [
      experiment,
      start,
      end,
    ]),
  );
}
