import type { BetaPosterior } from './beta-posterior';
import { gaussLegendre } from './gauss-legendre';

const NODES = 128;

export interface BetaComparison {
  /** P(first > second), 0 to 1. */
  chance: number;
  /** E[max(second - first, 0)]: the expected loss of choosing the first, as a rate, 0 to 1. */
  loss: number;
}

/**
 * The chance that the first rate is the higher one, and the expected loss of choosing it (Evan Miller, "Formulas for
 * Bayesian A/B Testing"; Stucchio 2014), by quadrature over the narrower posterior: over the wider one the narrow one
 * would fall between the nodes.
 */
export function compareBetas(first: BetaPosterior, second: BetaPosterior): BetaComparison {
  const isFirstNarrower = first.scale <= second.scale;
  const [narrow, wide] = isFirstNarrower ? [first, second] : [second, first];
  const { nodes, weights } = gaussLegendre(NODES);
  const middle = (narrow.high + narrow.low) / 2;
  const half = (narrow.high - narrow.low) / 2;
  let mass = 0;
  let chance = 0;
  let loss = 0;
  for (let i = 0; i < NODES; i += 1) {
    const angle = middle + half * nodes[i];
    const weight = weights[i] * narrow.density(angle);
    const { lower, upper, density } = wide.around(angle);
    const edge = edgeOf(wide, angle, density);
    mass += weight;
    chance += weight * (isFirstNarrower ? lower : upper);
    loss +=
      weight * (isFirstNarrower ? meanExcess(wide, angle, upper, edge) : meanLack(wide, angle, lower, edge));
  }
  return { chance: Math.min(1, chance / mass), loss: Math.max(0, loss / mass) };
}

/** E[max(rate - x, 0)] for x = sin² of the angle. */
function meanExcess(rate: BetaPosterior, angle: number, upper: number, edge: number): number {
  return edge - aboveMean(rate, angle) * upper;
}

/** E[max(x - rate, 0)] for x = sin² of the angle. */
function meanLack(rate: BetaPosterior, angle: number, lower: number, edge: number): number {
  return edge + aboveMean(rate, angle) * lower;
}

/** x - mean, from the complements where x is near 1. */
function aboveMean({ a, b, mean }: BetaPosterior, angle: number): number {
  return angle < Math.PI / 4 ? Math.sin(angle) ** 2 - mean : b / (a + b) - Math.cos(angle) ** 2;
}

/** x^a (1-x)^b / ((a+b) B(a,b)), by which the partial mean differs from mean times tail. */
function edgeOf({ a, b }: BetaPosterior, angle: number, density: number): number {
  return (Math.sin(angle) * Math.cos(angle) * density) / (2 * (a + b));
}
