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

interface ArmState {
  n: number;
  x: number;
  sum: number;
  sumOfSquares: number;
  readonly drawDay: (day: number) => void;
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
    this.arms = [armState(control, random, normal), armState(variation, random, normal)];
    this.hasValue = control.metric.value !== null;
  }

  /** Resets all counts. */
  reset(): void {
    this.day = 0;
    for (const arm of this.arms) {
      [arm.n, arm.x, arm.sum, arm.sumOfSquares] = [0, 0, 0, 0];
    }
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

function armState(
  { daily, metric, scale, delay, returns, change }: SimulatedArm,
  random: Random,
  normal: Random,
): ArmState {
  const binomials = new Map<number, Binomial>();
  const drawValue = metric.value === null ? null : valueOf(metric.value, random, normal);
  const state: ArmState = { n: 0, x: 0, sum: 0, sumOfSquares: 0, drawDay };
  let later: number[] = [];
  let returned: { sum: number; sumOfSquares: number }[] = [];
  return state;

  function drawDay(day: number): void {
    const entered = typeof daily === 'number' ? daily : daily(day);
    const buyers = delay === undefined ? buyersAmong(entered) : delayedBuyers(entered, day, delay);
    state.n += entered;
    state.x += buyers;
    if (drawValue !== null) {
      const factor = change !== undefined && day >= change.day ? scale * change.factor : scale;
      const back = { sum: 0, sumOfSquares: 0 };
      let [sum, sumOfSquares] = [0, 0];
      for (let buyer = 0; buyer < buyers; buyer += 1) {
        const value = factor * drawValue();
        sum += value;
        sumOfSquares += value * value;
        if (returns !== undefined && random() < returns.share) {
          back.sum += value;
          back.sumOfSquares += value * value;
        }
      }
      const gone = returns === undefined ? undefined : takenBack(back, day, returns.after);
      state.sum += sum - (gone?.sum ?? 0);
      state.sumOfSquares += sumOfSquares - (gone?.sumOfSquares ?? 0);
    }
  }

  /** Notes the values that will be taken back, and returns those that are taken back on this day. */
  function takenBack(
    back: { sum: number; sumOfSquares: number },
    day: number,
    after: number,
  ): { sum: number; sumOfSquares: number } | undefined {
    returned = day === 1 ? [] : returned;
    returned[day + after] = back;
    return returned[day];
  }

  function buyersAmong(entered: number): number {
    const binomial = binomials.get(entered) ?? new Binomial(entered, metric.rate);
    binomials.set(entered, binomial);
    return binomial.draw(random);
  }

  /** The buyers of a day, among those who entered on it or before. */
  function delayedBuyers(entered: number, day: number, mean: number): number {
    later = day === 1 ? [] : later;
    for (let buyers = buyersAmong(entered); buyers > 0; buyers -= 1) {
      const on = day + Math.floor(-mean * Math.log(1 - random()));
      later[on] = (later[on] ?? 0) + 1;
    }
    return later[day] ?? 0;
  }
}

/** Like `meanEffect`, but in doubles. Sums of fractional values are therefore not exact, as they are on the server. */
export function meanStratum(
  control: Pick<ArmState, 'n' | 'sum' | 'sumOfSquares'>,
  variation: Pick<ArmState, 'n' | 'sum' | 'sumOfSquares'>,
): StratumEffect {
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
