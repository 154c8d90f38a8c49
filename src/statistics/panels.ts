import { gaussLegendre } from './gauss-legendre';

/** The points at which an integrand is evaluated, and their weights. */
export interface PanelNodes {
  points: Float64Array;
  weights: Float64Array;
}

/** The Gauss-Legendre nodes of every panel between two neighbouring limits. @param count in each panel */
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

/** The product of what several functions have at the same node. */
export function productAt(functions: readonly Float64Array[], node: number): number {
  let product = 1;
  for (const values of functions) {
    product *= values[node];
  }
  return product;
}
