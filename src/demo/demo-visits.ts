import { Day, DAY_MICROS, formatMicros, Micros } from '../common/time/clock';
import type { DeviceType } from '../events/device-types';
import { EXPOSURE } from '../events/exposure';
import { Chance, Weighted } from './demo-traffic';
import type { DemoTraffic, Step, StepKind } from './demo-traffic';

/** An experiment with visitors. */
export interface Exposed {
  id: number;
  variations: readonly { id: number }[];
}

const MINUTE = 60_000_000;
const HOUR = 60 * MINUTE;
const RETURNING = 0.18;
const ORDERING_AGAIN = 0.12;
const CROSSING = 0.001;
const DAYS_TO_RETURN = 9;
const MEDIAN_ORDER = 38;
const SPREAD_OF_ORDERS = 0.7;

/** Weights by weekday, from Sunday to Saturday. Weekends have less traffic. */
const WEEK = [82, 108, 110, 104, 103, 96, 74];
/** The weekday of 1 January 1970 (a Thursday), as an index into `WEEK`. */
const WEEKDAY_OF_1970 = 4;
/** Weights by hour of the day, in UTC. */
const HOURS = [6, 4, 3, 2, 2, 3, 7, 14, 24, 33, 40, 45, 50, 46, 42, 41, 43, 48, 56, 66, 70, 58, 34, 15];

/** The collection message for each kind of funnel step, without the visitor and the time. */
const MESSAGES: Record<StepKind, (chance: Chance) => object> = {
  cart: () => ({ type: 'track', event: 'added-to-cart', properties: {} }),
  checkout: () => ({ type: 'page', properties: { url: 'https://shop.example/checkout' } }),
  order: (chance) => ({
    type: 'track',
    event: 'order-placed',
    properties: { value: chance.logNormal(MEDIAN_ORDER, SPREAD_OF_ORDERS).toFixed(2) },
  }),
};

/**
 * The events of an experiment on the days before today, as collection messages in chronological order. Only the times
 * depend on the current day; everything else is deterministic.
 */
export function visits(traffic: DemoTraffic, experiment: Exposed, today: Day): object[] {
  const behaviour = new Chance(traffic.seed);
  const clock = new Clock(new Chance(traffic.seed + 1), today - traffic.days, today);
  const messages: Dated[] = [];
  for (let visitor = 0; visitor < traffic.visitors; visitor += 1) {
    messages.push(...visitsOfOne(traffic, experiment, behaviour, clock));
  }
  messages.sort((one, other) => one.at - other.at);
  const ids = new Chance(traffic.seed + 2);
  return messages.map(({ at, fields }) => ({
    ...fields,
    messageId: ids.id(at),
    timestamp: formatMicros(at),
  }));
}

interface Dated {
  at: Micros;
  fields: object;
}

/** Generates the times of events, from the first day up to yesterday. */
class Clock {
  private readonly days: Weighted<Day>;
  private readonly end: Micros;

  constructor(
    readonly chance: Chance,
    firstDay: Day,
    today: Day,
  ) {
    const days = Array.from({ length: today - firstDay }, (_, index) => firstDay + index);
    this.days = days.map((day) => [day, WEEK[(day + WEEKDAY_OF_1970) % WEEK.length]] as const);
    this.end = today * DAY_MICROS;
  }

  /** An arrival time; on the last day, it is early enough to leave an hour for the visitor's events. */
  arrival(): Micros {
    const hour = this.chance.pick(HOURS.map((weight, index) => [index, weight] as const));
    const day = this.chance.pick(this.days);
    const at = day * DAY_MICROS + Math.floor((hour + this.chance.fraction()) * HOUR);
    return Math.min(at, this.end - 2 * HOUR);
  }

  minutesAfter(at: Micros, most: number): Micros {
    return at + Math.floor((0.1 + 0.9 * this.chance.fraction()) * most * MINUTE);
  }

  daysAfter(at: Micros, most: number): Micros {
    const room = Math.min(most * DAY_MICROS, this.end - HOUR - at);
    return at + Math.floor(this.chance.fraction() * room);
  }
}

function visitsOfOne(
  { devices, steps }: DemoTraffic,
  { id, variations }: Exposed,
  behaviour: Chance,
  clock: Clock,
): Dated[] {
  const arm = behaviour.pick(variations.map((_, index) => [index, 1] as const));
  const arrival = clock.arrival();
  const visitor = {
    anonymousId: clock.chance.id(arrival),
    context: { device: { type: behaviour.pick<DeviceType>(devices) } },
  };
  const exposed = (at: Micros, index: number): Dated => {
    const properties = { experiment_id: id, variation_id: variations[index].id };
    return { at, fields: { ...visitor, type: 'track', event: EXPOSURE, properties } };
  };
  const done = [exposed(arrival, arm)];
  if (behaviour.happens(RETURNING)) {
    done.push(exposed(clock.daysAfter(arrival, DAYS_TO_RETURN), arm));
  }
  if (behaviour.happens(CROSSING)) {
    done.push(exposed(clock.daysAfter(arrival, DAYS_TO_RETURN), (arm + 1) % variations.length));
  }
  const way = stepsOfOne(steps[arm], behaviour, clock, arrival);
  return [...done, ...way.map(({ at, fields }) => ({ at, fields: { ...visitor, ...fields } }))];
}

/** The funnel steps of a visitor. Orders can repeat. */
function stepsOfOne(steps: readonly Step[], behaviour: Chance, clock: Clock, arrival: Micros): Dated[] {
  const way: Dated[] = [];
  let at = arrival;
  for (const [kind, probability] of steps) {
    if (!behaviour.happens(probability)) {
      return way;
    }
    at = clock.minutesAfter(at, 15);
    way.push({ at, fields: MESSAGES[kind](behaviour) });
  }
  if (behaviour.happens(ORDERING_AGAIN)) {
    way.push({ at: clock.daysAfter(at, DAYS_TO_RETURN), fields: MESSAGES.order(behaviour) });
  }
  return way;
}
