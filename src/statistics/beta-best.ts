import type { BetaPosterior } from './beta-posterior';
import { gaussLegendre } from './gauss-legendre';

const NODES = 24;
/** Where the integral is split around each posterior, in its scales: 24 nodes are plenty for a panel of 5. */
const SPLITS = [-10, -5, 0, 5, 10];

/**
 * For each rate the probability (0 to 1) that it is the highest of all, or the lowest. The numbers sum to 1; a single
 * rate gives 1 (Evan Miller, "Formulas for Bayesian A/B Testing"). By quadrature over panels that are narrow for all
 * posteriors.
 */
export function chancesToBeBest(rates: readonly BetaPosterior[], best: 'highest' | 'lowest'): number[] {
  const { nodes, weights } = gaussLegendre(NODES);
  const limits = panelLimits(rates);
  const chances = rates.map(() => 0);
  for (let panel = 1; panel < limits.length; panel += 1) {
    const half = (limits[panel] - limits[panel - 1]) / 2;
    const middle = (limits[panel] + limits[panel - 1]) / 2;
    for (let i = 0; i < NODES; i += 1) {
      addNode(chances, rates, middle + half * nodes[i], half * weights[i], best);
    }
  }
  return chances.map((chance) => Math.min(1, chance));
}

function addNode(
  chances: number[],
  rates: readonly BetaPosterior[],
  angle: number,
  weight: number,
  best: 'highest' | 'lowest',
): void {
  const beaten = rates.map((rate) => {
    const below = rate.cumulative(angle);
    return best === 'highest' ? below : 1 - below;
  });
  rates.forEach((rate, index) => {
    const others = beaten.reduce(
      (product, chance, other) => (other === index ? product : product * chance),
      1,
    );
    chances[index] += others === 0 ? 0 : weight * rate.density(angle) * others;
  });
}

/** Ends of the panels in rising order, without those that are close to the one before. */
function panelLimits(rates: readonly BetaPosterior[]): number[] {
  const candidates = rates
    .flatMap((rate) =>
      SPLITS.map((split) => ({
        angle: Math.min(rate.high, Math.max(rate.low, rate.centre + split * rate.scale)),
        closest: rate.scale / 2,
      })),
    )
    .sort((x, y) => x.angle - y.angle);
  const limits = [candidates[0].angle];
  for (const { angle, closest } of candidates) {
    if (angle - limits[limits.length - 1] > closest) {
      limits.push(angle);
    }
  }
  return [...limits, Math.max(...rates.map(({ high }) => high))];
}
