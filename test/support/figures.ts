import type { GoalResults } from '../../src/results/experiment-results';
import type { Verdict, VariationStatistics, Warning } from '../../src/statistics/result';

/** What a test says about a variation; the rest is made up. */
export interface Sketch {
  name?: string;
  isOriginal?: boolean;
  participants?: number;
  rate?: number | null;
  value?: number;
  uplift?: number | null;
  /** Against the original, in the goal's unit; null where nothing can be compared. */
  difference?: number | null;
  upliftInterval?: [lower: number, upper: number];
  verdict?: Verdict;
  daysLeft?: number | null;
  daysRunning?: number;
  minRuntimeReached?: boolean;
  minConversionsReached?: boolean;
  warnings?: Warning[];
}

/** The figures of a variation as they might be. */
export function variationFigures(id: number, sketch: Sketch): VariationStatistics {
  const { participants = 1000, rate = 0.08, verdict = 'inconclusive', daysLeft = null } = sketch;
  const block = { difference: sketch.difference ?? null, upliftInterval: sketch.upliftInterval ?? null };
  return {
    id,
    name: sketch.name ?? `Variation ${id}`,
    isOriginal: sketch.isOriginal ?? false,
    participants,
    conversions: Math.round(participants * (rate ?? 0)),
    totalConversions: Math.round(participants * (rate ?? 0)),
    conversionRate: rate,
    totalValue: 0,
    valuePerParticipant: sketch.value ?? null,
    valuePerConversion: null,
    uplift: sketch.uplift ?? null,
    confidence: null,
    isConfident: verdict !== 'inconclusive',
    duration: {
      daysRunning: sketch.daysRunning ?? 10,
      daysLeft,
      minRuntimeReached: sketch.minRuntimeReached ?? true,
      minConversionsReached: sketch.minConversionsReached ?? true,
    },
    statistics: {
      metric: sketch.value === undefined ? 'conversion' : 'value',
      method: 'sequential',
      significance: 0.95,
      conversion: block as VariationStatistics['statistics']['conversion'],
      value: sketch.value === undefined ? null : (block as VariationStatistics['statistics']['value']),
      verdict,
      warnings: sketch.warnings ?? [],
    },
  };
}

/** A goal with these variations; the first is the original unless one is said to be, or none is. */
export function goalFigures(sketches: readonly Sketch[], fields: Partial<GoalResults> = {}): GoalResults {
  const isSaid = sketches.some(({ isOriginal }) => isOriginal !== undefined);
  return {
    id: 1,
    type: 'custom',
    name: 'Order placed',
    api_name: 'order-placed',
    hasValue: sketches.some(({ value }) => value !== undefined),
    direction: 'increase',
    variations: sketches.map((sketch, index) =>
      variationFigures(index + 1, isSaid ? sketch : { ...sketch, isOriginal: index === 0 }),
    ),
    ...fields,
  };
}
