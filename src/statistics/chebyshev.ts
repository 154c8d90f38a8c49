/** A Chebyshev series on [low, high]. Outside this range, its value is the value at the nearer end. */
export class ChebyshevSeries {
  private readonly middle: number;
  private readonly half: number;

  constructor(
    private readonly terms: Float64Array,
    low: number,
    high: number,
  ) {
    this.middle = (high + low) / 2;
    this.half = (high - low) / 2;
  }

  valueAt(x: number): number {
    return this.valuesAt(Float64Array.of(x))[0];
  }

  valuesAt(points: Float64Array): Float64Array {
    const values = new Float64Array(points.length);
    for (let i = 0; i < points.length; i += 2) {
      this.addPair(values, points, i, Math.min(i + 1, points.length - 1));
    }
    return values;
  }

  /**
   * Clenshaw's recurrence for two points in parallel. Each step of a sum needs the result of the previous step, so the
   * CPU would be idle half of the time with a single point.
   */
  private addPair(values: Float64Array, points: Float64Array, first: number, second: number): void {
    const { terms } = this;
    const u = this.onUnitRange(points[first]);
    const v = this.onUnitRange(points[second]);
    const twiceU = 2 * u;
    const twiceV = 2 * v;
    let atU = 0;
    let afterU = 0;
    let atV = 0;
    let afterV = 0;
    for (let j = terms.length - 1; j > 0; j -= 1) {
      const nextU = twiceU * atU - afterU + terms[j];
      const nextV = twiceV * atV - afterV + terms[j];
      afterU = atU;
      atU = nextU;
      afterV = atV;
      atV = nextV;
    }
    values[first] = u * atU - afterU + terms[0];
    values[second] = v * atV - afterV + terms[0];
  }

  private onUnitRange(x: number): number {
    return Math.min(1, Math.max(-1, (x - this.middle) / this.half));
  }
}

/**
 * The antiderivative of a smooth function on [low, high] that is 0 at low, as a series of `count` terms (Press et al.,
 * Numerical Recipes, sections 5.8 and 5.9).
 */
export function antiderivative(
  integrand: (x: number) => number,
  low: number,
  high: number,
  count: number,
): ChebyshevSeries {
  const middle = (high + low) / 2;
  const half = (high - low) / 2;
  const terms = integrateSeries(fitSeries((u) => half * integrand(middle + half * u), count));
  return new ChebyshevSeries(terms, low, high);
}

/**
 * Coefficients of the series through the Chebyshev points. The first one is the constant term itself, not twice the
 * constant term.
 */
function fitSeries(integrand: (u: number) => number, count: number): Float64Array {
  const cosines = quarterCosines(count);
  const terms = new Float64Array(count);
  for (let k = 0; k < count; k += 1) {
    const sample = integrand(cosines[2 * k + 1]);
    let angle = 0;
    for (let j = 0; j < count; j += 1) {
      terms[j] += sample * cosines[angle];
      angle += 2 * k + 1;
      angle -= angle < cosines.length ? 0 : cosines.length;
    }
  }
  for (let j = 0; j < count; j += 1) {
    terms[j] = ((j === 0 ? 1 : 2) * terms[j]) / count;
  }
  return terms;
}

/** Coefficients of the antiderivative that is 0 at -1. */
function integrateSeries(terms: Float64Array): Float64Array {
  const integral = new Float64Array(terms.length + 1);
  let atLow = 0;
  for (let j = 1; j <= terms.length; j += 1) {
    const before = j === 1 ? 2 * terms[0] : terms[j - 1];
    integral[j] = (before - (terms[j + 1] ?? 0)) / (2 * j);
    atLow += j % 2 === 0 ? integral[j] : -integral[j];
  }
  integral[0] = -atLow;
  return integral;
}

const cosineTables = new Map<number, Float64Array>();

/** cos(π·m / 2·count) for m = 0 .. 4·count - 1, computed on first use. */
function quarterCosines(count: number): Float64Array {
  let table = cosineTables.get(count);
  if (table === undefined) {
    table = Float64Array.from({ length: 4 * count }, (_, m) => Math.cos((Math.PI * m) / (2 * count)));
    cosineTables.set(count, table);
  }
  return table;
}
