/** Nodes in (-1, 1) and their weights, which sum to 2. */
export interface QuadratureRule {
  nodes: Float64Array;
  weights: Float64Array;
}

/** The first guess has at least three correct digits, and each step doubles their number. */
const NEWTON_STEPS = 5;

/** A product of probabilities up to this value does not change a chance, which has about 16 digits. */
const NEGLIGIBLE = 1e-20;

const rules = new Map<number, QuadratureRule>();

/**
 * The Gauss-Legendre rule with `count` nodes (a positive even number), computed on first use. The nodes are the roots
 * of the Legendre polynomial, found by Newton's method (Press et al., Numerical Recipes, section 4.6).
 */
export function gaussLegendre(count: number): QuadratureRule {
  let rule = rules.get(count);
  if (rule === undefined) {
    rule = computeRule(count);
    rules.set(count, rule);
  }
  return rule;
}

function computeRule(count: number): QuadratureRule {
  const nodes = new Float64Array(count);
  const weights = new Float64Array(count);
  for (let i = 0; i < count / 2; i += 1) {
    let x = Math.cos((Math.PI * (i + 0.75)) / (count + 0.5));
    let slope = 0;
    for (let step = 0; step < NEWTON_STEPS; step += 1) {
      const polynomial = legendre(count, x);
      slope = polynomial.slope;
      x -= polynomial.value / slope;
    }
    nodes[i] = -x;
    nodes[count - 1 - i] = x;
    weights[i] = weights[count - 1 - i] = 2 / ((1 - x * x) * slope * slope);
  }
  return { nodes, weights };
}

function legendre(degree: number, x: number): { value: number; slope: number } {
  let before = 1;
  let value = x;
  for (let k = 2; k <= degree; k += 1) {
    [before, value] = [value, ((2 * k - 1) * x * value - (k - 1) * before) / k];
  }
  return { value, slope: (degree * (x * value - before)) / (x * x - 1) };
}

/** The points at which an integrand is evaluated, and their weights. */
export interface PanelNodes {
  points: Float64Array;
  weights: Float64Array;
}

/** A possible panel boundary. Beyond the distance `closest` from the previous boundary, it needs a separate panel. */
export interface PanelLimit {
  at: number;
  closest: number;
}

/**
 * The limits in ascending order, except those that are too close to the previous one.
 * @param candidates at least one
 */
export function separated(candidates: readonly PanelLimit[]): number[] {
  const sorted = [...candidates].sort((a, b) => a.at - b.at);
  const limits = [sorted[0].at];
  for (const { at, closest } of sorted) {
    if (at - limits[limits.length - 1] > closest) {
      limits.push(at);
    }
  }
  return limits;
}

/**
 * The Gauss-Legendre nodes of every panel between two adjacent limits. @param count the number of nodes in each panel
 */
export function panelNodes(limits: readonly number[], count: number): PanelNodes {
  const rule = gaussLegendre(count);
  const points = new Float64Array((limits.length - 1) * count);
  const weights = new Float64Array(points.length);
  for (let panel = 1; panel < limits.length; panel += 1) {
    const half = (limits[panel] - limits[panel - 1]) / 2;
    const middle = (limits[panel] + limits[panel - 1]) / 2;
    for (let i = 0; i < count; i += 1) {
      points[(panel - 1) * count + i] = middle + half * rule.nodes[i];
      weights[(panel - 1) * count + i] = half * rule.weights[i];
    }
  }
  return { points, weights };
}

/**
 * For each distribution, the probability (0 to 1) that its value is better than all other values.
 * @param beaten for each distribution, the probability that its value is worse than the point, for every point
 * @param densityAt the density of a distribution at a point
 */
export function chancesOverAll(
  { points, weights }: PanelNodes,
  beaten: readonly Float64Array[],
  densityAt: (distribution: number, point: number) => number,
): number[] {
  const chances = beaten.map(() => 0);
  // The products of the functions from each index to the last one. With the product of the functions before an index,
  // they give the product of all others, without multiplying all of them again for each distribution.
  const products = new Float64Array(beaten.length + 1).fill(1);
  points.forEach((point, node) => {
    for (let index = beaten.length - 1; index > 0; index -= 1) {
      products[index] = products[index + 1] * beaten[index][node];
    }
    let before = 1;
    for (let index = 0; index < beaten.length; index += 1) {
      const others = before * products[index + 1];
      if (others > NEGLIGIBLE) {
        chances[index] += weights[node] * densityAt(index, point) * others;
      }
      before *= beaten[index][node];
    }
  });
  return chances.map((chance) => Math.min(1, chance));
}
