import type { BetaPosterior } from './beta-posterior';
import type { Effect } from './effect';
import { gaussianChances } from './gaussian-best';
import type { Arm } from './input';
import { chancesOverAll, panelNodes, separated } from './quadrature';

const NODES = 24;
/**
 * Where the integral is split around each posterior, in units of its scale. 24 nodes are more than enough for a panel
 * of width 5.
 */
const SPLITS = [-10, -5, 0, 5, 10];

/**
 * For each rate, the probability (0 to 1) that it is the highest of all, or the lowest. The probabilities sum to 1; for
 * a single rate the result is 1 (Evan Miller, "Formulas for Bayesian A/B Testing"). Uses quadrature over panels that
 * are narrow enough for every posterior.
 */
export function chancesToBeBest(rates: readonly BetaPosterior[], best: 'highest' | 'lowest'): number[] {
  const nodes = panelNodes(panelLimits(rates), NODES);
  const beaten = rates.map((rate) => {
    const below = rate.cumulatives(nodes.points);
    return best === 'highest' ? below : below.map((chance) => 1 - chance);
  });
  return chancesOverAll(nodes, beaten, (index, angle) => rates[index].density(angle));
}

/** Panel boundaries in ascending order, without those that are close to the previous one. */
function panelLimits(rates: readonly BetaPosterior[]): number[] {
  const candidates = rates.flatMap((rate) =>
    SPLITS.map((split) => ({
      at: Math.min(rate.high, Math.max(rate.low, rate.centre + split * rate.scale)),
      closest: rate.scale / 2,
    })),
  );
  return [...separated(candidates), Math.max(...rates.map(({ high }) => high))];
}

type Best = 'highest' | 'lowest';

/** The chances to be best by variation id, for variations with a defined rate; empty if there are fewer than two. */
export function chancesOfRates(
  rates: readonly { arm: Arm; rate: BetaPosterior }[],
  best: Best,
): ReadonlyMap<number, number> {
  if (rates.length < 2) {
    return new Map();
  }
  const chances = chancesToBeBest(
    rates.map(({ rate }) => rate),
    best,
  );
  return new Map(rates.map(({ arm }, index) => [arm.id, chances[index]]));
}

/**
 * The chances to be best by variation id, for the original and the variations whose effect has a standard error above
 * 0; empty if there are no such variations.
 *
 * @param prior standard deviation of the normal prior of the uplift, as a fraction; null for a flat one.
 */
export function chancesOfEffects(
  effects: readonly { arm: Arm; effect: Effect | null }[],
  best: Best,
  prior: number | null,
): ReadonlyMap<number, number> {
  const known = effects.flatMap(({ arm, effect }) =>
    effect !== null && effect.standardError > 0 ? [{ id: arm.id, effect }] : [],
  );
  if (known.length === 0) {
    return new Map();
  }
  const chances = gaussianChances(
    known.map(({ effect }) => effect),
    best,
    prior,
  );
  return new Map([
    ...effects.filter(({ arm }) => arm.isOriginal).map(({ arm }) => [arm.id, chances.original] as const),
    ...known.map(({ id }, index) => [id, chances.variations[index]] as const),
  ]);
}
