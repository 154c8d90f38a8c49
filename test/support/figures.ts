import type { GoalResults } from '../../src/results/experiment-results';
import type { PlannedStatistics, Verdict, VariationStatistics, Warning } from '../../src/statistics/result';

/** The figures that a test sets for a variation. All others have defaults. */
export interface Sketch {
  name?: string;
  isOriginal?: boolean;
  participants?: number;
  rate?: number | null;
  value?: number;
  uplift?: number | null;
  /** Difference from the original, in the goal's unit; null if there is nothing to compare. */
  difference?: number | null;
  /** The confidence limits of the default method, `sequential`, or of `planned` if `looks` is set. */
  interval?: [lower: number, upper: number];
  upliftInterval?: [lower: number, upper: number];
  verdict?: Verdict;
  daysLeft?: number | null;
  daysRunning?: number;
  /** Conversions in both variations together; the required minimum is 50. */
  conversions?: number;
  minRuntimeReached?: boolean;
  minConversionsReached?: boolean;
  warnings?: Warning[];
  /** The number of looks. If it is set, the method is `planned`. */
  looks?: number;
  /** Whether the plan is over. */
  isOver?: boolean;
}

/** Plausible figures of a variation. */
export function variationFigures(id: number, sketch: Sketch): VariationStatistics {
  const { participants = 1000, rate = 0.08, verdict = 'inconclusive', daysLeft = null } = sketch;
  const intervals = {
    interval: sketch.interval ?? null,
    upliftInterval: sketch.upliftInterval ?? null,
  };
  const block = { difference: sketch.difference ?? null, sequential: intervals };
  return {
    id,
    name: sketch.name ?? `Variation ${id}`,
    isOriginal: sketch.isOriginal ?? false,
    participants,
    conversions: Math.round(participants * (rate ?? 0)),
    totalConversions: Math.round(participants * (rate ?? 0)),
    conversionRate: rate,
    conversionsPerParticipant: rate,
    totalValue: 0,
    valuePerParticipant: sketch.value ?? null,
    valuePerConversion: null,
    uplift: sketch.uplift ?? null,
    confidence: null,
    isConfident: verdict === 'winner' || verdict === 'loser',
    duration: {
      daysRunning: sketch.daysRunning ?? 10,
      daysLeft,
      minRuntimeReached: sketch.minRuntimeReached ?? true,
      minConversionsReached: sketch.minConversionsReached ?? true,
    },
    statistics: {
      metric: sketch.value === undefined ? 'conversion' : 'value',
      method: sketch.looks === undefined ? 'sequential' : 'planned',
      significance: 0.95,
      conversion: block as unknown as VariationStatistics['statistics']['conversion'],
      value:
        sketch.value === undefined ? null : (block as unknown as VariationStatistics['statistics']['value']),
      count: null,
      ratio: null,
      planned:
        sketch.looks === undefined
          ? null
          : ({
              ...intervals,
              looks: sketch.looks,
              isOver: sketch.isOver ?? false,
            } as unknown as PlannedStatistics),
      minimumDetectableEffect: null,
      verdict,
      warnings: sketch.warnings ?? [],
    },
  };
}

/** The figures of a goal with these variations. By default, the first variation is the original. */
export function goalFigures(sketches: readonly Sketch[], fields: Partial<GoalResults> = {}): GoalResults {
  const isSaid = sketches.some(({ isOriginal }) => isOriginal !== undefined);
  return {
    id: 1,
    role: 'primary',
    tripped: [],
    type: 'custom',
    name: 'Order placed',
    api_name: 'order-placed',
    hasValue: sketches.some(({ value }) => value !== undefined),
    currency: null,
    metric: sketches.some(({ value }) => value !== undefined) ? 'value' : 'conversion',
    direction: 'increase',
    variations: sketches.map((sketch, index) =>
      variationFigures(index + 1, isSaid ? sketch : { ...sketch, isOriginal: index === 0 }),
    ),
    gates: new Map(
      sketches.map((sketch, index) => [
        index + 1,
        {
          conversions: sketch.conversions ?? 80,
          conversionsNeeded: 50,
          daysNeeded: 7,
          isPlanOver: sketch.isOver ?? false,
          plannedLook: null,
          intake: 'open',
        },
      ]),
    ),
    ...fields,
  };
}
