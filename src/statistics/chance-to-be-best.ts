import { chancesToBeBest } from './beta-best';
import type { BetaPosterior } from './beta-posterior';
import type { Effect } from './effect';
import { gaussianChances } from './gaussian-best';
import type { Arm } from './input';

type Best = 'highest' | 'lowest';

/** By variation id, for variations with a defined rate; empty if there are fewer than two. */
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
 * By variation id, for the original and the variations that have an effect with an error; empty if there is none.
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
