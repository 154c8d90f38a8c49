/**
 * The antiderivative of a smooth function on [low, high], 0 at low, as a Chebyshev series of `count` terms (Press et
 * al., Numerical Recipes, sections 5.8 and 5.9). Outside the range it is constant.
 */
export function antiderivative(
  integrand: (x: number) => number,
  low: number,
  high: number,
  count: number,
): (x: number) => number {
  const middle = (high + low) / 2;
  const half = (high - low) / 2;
  const terms = integrateSeries(fitSeries((u) => half * integrand(middle + half * u), count));
  return (x) => sumSeries(terms, Math.min(1, Math.max(-1, (x - middle) / half)));
}

/** Coefficients of the series through the Chebyshev points, the first one counted whole. */
function fitSeries(integrand: (u: number) => number, count: number): Float64Array {
  const cosines = quarterCosines(count);
  const period = 4 * count;
  const samples = Float64Array.from({ length: count }, (_, k) => integrand(cosines[2 * k + 1]));
  return Float64Array.from({ length: count }, (_, j) => {
    let sum = 0;
    for (let k = 0; k < count; k += 1) {
      sum += samples[k] * cosines[(j * (2 * k + 1)) % period];
    }
    return ((j === 0 ? 1 : 2) * sum) / count;
  });
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

/** Clenshaw's recurrence, for u from -1 to 1. */
function sumSeries(terms: Float64Array, u: number): number {
  let next = 0;
  let afterNext = 0;
  for (let j = terms.length - 1; j > 0; j -= 1) {
    [next, afterNext] = [2 * u * next - afterNext + terms[j], next];
  }
  return u * next - afterNext + terms[0];
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
