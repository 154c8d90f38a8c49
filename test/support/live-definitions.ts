import type { LiveDefinitions, LiveExperiment, LiveVariation } from '../../src/publishing/definitions';

/** A running experiment on every page, by default with two variations that share all traffic equally. */
export function liveExperiment(parts: Partial<LiveExperiment> = {}): LiveExperiment {
  const id = parts.id ?? 1001;
  return {
    id,
    api_name: `experiment-${id}`,
    traffic: 10_000,
    traffic_filter: true,
    audiences_match_type: 'any',
    audiences: [],
    pages: [{ id: 1, api_name: 'everywhere', activation: 'immediate', conditions: [] }],
    environments: [1],
    goals: [],
    js: null,
    reset_js: null,
    css: null,
    variations: liveVariations(id * 10, [5_000, 5_000]),
    ...parts,
  };
}

/** Variations named `a`, `b` and so on with these shares. The first is the original. */
export function liveVariations(firstId: number, shares: readonly number[]): LiveVariation[] {
  return shares.map((share, index) => ({
    id: firstId + index,
    api_name: String.fromCharCode(97 + index),
    is_original: index === 0,
    share,
    js: null,
    css: null,
  }));
}

/** A project with one environment that is always active. */
export function liveDefinitions(
  experiments: LiveExperiment[],
  parts: Partial<LiveDefinitions> = {},
): LiveDefinitions {
  return {
    storage: 'localStorage',
    environments: [{ id: 1, api_name: 'production', is_default: true, code: 'return true;' }],
    experiments,
    ...parts,
  };
}
