/** Nodes in (-1, 1) and the weights that go with them; the weights sum to 2. */
export interface QuadratureRule {
  nodes: Float64Array;
  weights: Float64Array;
}

/** The first guess has three correct digits or more, and each step doubles their number. */
const NEWTON_STEPS = 5;

const rules = new Map<number, QuadratureRule>();

/**
 * The Gauss-Legendre rule of that many nodes (a positive even number), computed on first use: the roots of the Legendre
 * polynomial by Newton's method (Press et al., Numerical Recipes, section 4.6).
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
