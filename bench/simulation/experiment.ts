import { type Effect, effectOf, rateEffect, type StratumEffect } from '../../src/statistics/effect';
import { Binomial, normalOf, type Random, valueMoments, valueOf, type ValueDistribution } from './random';

/** A conversion rate or, if `value` is not null, the revenue per participant, where `rate` is the share of buyers. */
export interface SimulatedMetric {
  label: string;
  rate: number;
  value: ValueDistribution | null;
}

/** The conversion rate of a metric without values. */
export const rate = (share: number): SimulatedMetric => ({
  label: `rate ${100 * share} %`,
  rate: share,
  value: null,
});

/** How participants and conversions of one variation are drawn. */
export interface SimulatedArm {
  /** New participants per day, or on a given day, counted from 1. */
  daily: number | ((day: number) => number);
  metric: SimulatedMetric;
  /** A factor for every value, to change means or make them equal. */
  scale: number;
  /** Mean number of days from entering to converting, with an exponential distribution. Without it, no time passes. */
  delay?: number;
  /** The share of purchases that are taken back after this number of days. */
  returns?: { share: number; after: number };
  /** From this day on, the values are multiplied by this factor. */
  change?: { day: number; factor: number };
}

/** Participants, converters, and the sums of values. */
interface Counts extends Values {
  n: number;
  x: number;
}

/** Participants per day of two variations with these shares, at least one each. */
export const dailyOf = (shares: readonly [number, number], daily: number): [number, number] => {
  const variation = Math.max(1, Math.round((daily * shares[1]) / (shares[0] + shares[1])));
  return [daily - variation, variation];
};

/** Mean and standard deviation of the value per participant, including those who buy nothing. */
export function momentsOf({ rate, value }: SimulatedMetric): { mean: number; deviation: number } {
  const [mean, square] = value === null ? [1, 1] : valueMoments(value);
  return { mean: rate * mean, deviation: Math.sqrt(rate * square - (rate * mean) ** 2) };
}

/**
 * An experiment with two variations, day by day. The number of participants is fixed, because the statistical tests
 * take it as given. The number of converters is binomial, and each converter has a value from the metric's
 * distribution.
 */
export class SimulatedExperiment {
  private readonly arms: [control: ArmState, variation: ArmState];
  private readonly hasValue: boolean;
  private day = 0;

  constructor([control, variation]: readonly [SimulatedArm, SimulatedArm], random: Random) {
    const normal = normalOf(random);
    this.arms = [new ArmState(control, random, normal), new ArmState(variation, random, normal)];
    this.hasValue = control.metric.value !== null;
  }

  /** Resets all counts. */
  reset(): void {
    this.day = 0;
    this.arms[0].reset();
    this.arms[1].reset();
  }

  nextDay(): void {
    this.day += 1;
    this.arms[0].drawDay(this.day);
    this.arms[1].drawDay(this.day);
  }

  /** Participants of both variations who have converted so far. */
  get conversions(): number {
    return this.arms[0].x + this.arms[1].x;
  }

  /** The counts so far, as one stratum. */
  stratum(): StratumEffect {
    const [control, variation] = this.arms;
    return this.hasValue
      ? meanStratum(control, variation)
      : rateEffect({
          control: { successes: control.x, trials: control.n },
          variation: { successes: variation.x, trials: variation.n },
        });
  }

  effect(): Effect {
    return effectOf([this.stratum()]);
  }
}

/** The counts of one variation, drawn day by day. */
class ArmState implements Counts {
  n = 0;
  x = 0;
  sum = 0;
  sumOfSquares = 0;
  private readonly binomials = new Map<number, Binomial>();
  private readonly drawValue: Random | null;
  /** By day: the buyers who entered earlier, and the values that will be taken back. */
  private later: number[] = [];
  private returned: Values[] = [];

  constructor(
    private readonly arm: SimulatedArm,
    private readonly random: Random,
    normal: Random,
  ) {
    this.drawValue = arm.metric.value === null ? null : valueOf(arm.metric.value, random, normal);
  }

  reset(): void {
    [this.n, this.x, this.sum, this.sumOfSquares] = [0, 0, 0, 0];
    [this.later, this.returned] = [[], []];
  }

  drawDay(day: number): void {
    const { daily, delay } = this.arm;
    const entered = typeof daily === 'number' ? daily : daily(day);
    const buyers = delay === undefined ? this.buyersAmong(entered) : this.delayedBuyers(entered, day, delay);
    this.n += entered;
    this.x += buyers;
    if (this.drawValue !== null) {
      this.addValues(this.drawValue, buyers, day);
    }
  }

  private buyersAmong(entered: number): number {
    const binomial = this.binomials.get(entered) ?? new Binomial(entered, this.arm.metric.rate);
    this.binomials.set(entered, binomial);
    return binomial.draw(this.random);
  }

  /** The buyers of a day, among those who entered on it or before. */
  private delayedBuyers(entered: number, day: number, mean: number): number {
    for (let buyers = this.buyersAmong(entered); buyers > 0; buyers -= 1) {
      const on = day + Math.floor(-mean * Math.log(1 - this.random()));
      this.later[on] = (this.later[on] ?? 0) + 1;
    }
    return this.later[day] ?? 0;
  }

  /** Adds the values of a day's buyers, and takes back those that are returned on this day. */
  private addValues(drawValue: Random, buyers: number, day: number): void {
    const { scale, change, returns } = this.arm;
    const factor = change !== undefined && day >= change.day ? scale * change.factor : scale;
    const [bought, back] = [nothing(), nothing()];
    for (let buyer = 0; buyer < buyers; buyer += 1) {
      const value = factor * drawValue();
      add(bought, value);
      if (returns !== undefined && this.random() < returns.share) {
        add(back, value);
      }
    }
    this.returned[day + (returns?.after ?? 0)] = back;
    const gone = this.returned[day] ?? nothing();
    this.sum += bought.sum - gone.sum;
    this.sumOfSquares += bought.sumOfSquares - gone.sumOfSquares;
  }
}

interface Values {
  sum: number;
  sumOfSquares: number;
}

const nothing = (): Values => ({ sum: 0, sumOfSquares: 0 });

function add(values: Values, value: number): void {
  values.sum += value;
  values.sumOfSquares += value * value;
}

/** Like `meanEffect`, but in doubles. Unlike on the server, sums of fractional values are therefore not exact. */
export function meanStratum(control: Omit<Counts, 'x'>, variation: Omit<Counts, 'x'>): StratumEffect {
  const spreads = [control, variation].map(({ n, sum, sumOfSquares }) =>
    Math.max(0, sumOfSquares - (sum * sum) / n),
  );
  const within = (spreads[0] + spreads[1]) / (control.n + variation.n - 2);
  const [m0, m1] = [control.sum / control.n, variation.sum / variation.n];
  return {
    participants: { control: control.n, variation: variation.n },
    control: { value: m0, variance: spreads[0] / (control.n - 1) / control.n },
    variation: { value: m1, variance: spreads[1] / (variation.n - 1) / variation.n },
    difference: m1 - m0,
    pooledVariance: within * (1 / control.n + 1 / variation.n),
  };
}
