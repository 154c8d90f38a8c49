import { DAY_MICROS } from '../../src/common/time/clock';
import { ENTERED } from '../../src/events/cell.entities';
import { gatesOf, intakesOf } from '../../src/results/computed-results';
import type { GoalRole } from '../../src/results/experiment-results';
import { EVERYBODY } from '../../src/results/result-filter';
import { progressOf } from '../../src/results/progress';
import type { DailyCellSum } from '../../src/results/result-cells.store';
import { byGoal, goalTotals, participantsByVariation } from '../../src/results/totals';
import type { ShareModel } from '../../src/sharing/share-model';
import { evaluate } from '../../src/statistics/evaluation';
import type { SingleLook } from '../../src/statistics/input';
import type { Correction, Method } from '../../src/statistics/result';
import { alphaOf, significanceFraction } from '../../src/statistics/multiple-testing';
import { sampleRatio } from '../../src/statistics/srm';
import { dayNumber } from './cells';

/** A variation of a simulated experiment: participants per day, and their conversion rate. */
export interface MadeVariation {
  name: string;
  perDay: number;
  rate: number;
  /** The value of each conversion, for goals with values. */
  value?: number;
  /** Whether it gets no further participants. */
  isStopped?: boolean;
}

export interface MadeExperiment {
  name?: string;
  status?: string;
  isDecided?: boolean;
  days?: number;
  method?: Method;
  correction?: Correction;
  /** The required confidence, in percent. */
  significance?: number;
  variations?: MadeVariation[];
  goals?: {
    name: string;
    direction?: 'increase' | 'decrease';
    hasValue?: boolean;
    effect?: number;
    isGuardrail?: boolean;
  }[];
  minRuntimeDays?: number;
  minConversions?: number;
  /** The end of the plan, for methods that allow a single look. */
  singleLook?: SingleLook;
}

export const GREEN_BUTTON: MadeVariation[] = [
  { name: 'Original', perDay: 420, rate: 0.075 },
  { name: 'Green button', perDay: 423, rate: 0.0825 },
];

const FIRST_DAY = dayNumber('2026-05-01');

/** The plan of an experiment with a `singleLook`. */
const PLAN = { end: dayNumber('2026-06-30'), participants: 50_000 };

/** A deterministic integer near `expected`. It fluctuates like real counts. */
function wobbling(expected: number, day: number, salt: number): number {
  const wave = Math.sin(day * 12.9898 + salt * 78.233) * 43758.5453;
  const noise = (wave - Math.floor(wave) - 0.5) * 2;
  return Math.max(0, Math.round(expected + noise * Math.sqrt(expected) * 1.2));
}

/** The share page model of a simulated experiment, with figures from the real statistics. */
export function shareModel(made: MadeExperiment = {}): ShareModel {
  const {
    days = 12,
    method = 'sequential',
    correction = 'none',
    significance = 95,
    variations = GREEN_BUTTON,
    goals = [{ name: 'Order placed' }],
    singleLook,
  } = made;
  const arms = variations.map(({ name }, index) => ({ id: index + 1, name, isOriginal: index === 0 }));
  const attached = goals.map((goal, index) => ({
    id: index + 101,
    type: 'custom' as const,
    name: goal.name,
    api_name: `goal-${index}`,
    value_type: goal.hasValue ? ('revenue' as const) : ('none' as const),
    direction: goal.direction ?? ('increase' as const),
    counting: 'unique' as const,
    conversion_window_days: null,
    isGuardrail: goal.isGuardrail ?? false,
  }));
  const shown = Array.from({ length: days }, (_, index) => FIRST_DAY + index);
  const cells = shown.flatMap((day) => cellsOf(day, variations, goals));
  const sums = byGoal(totalsOf(cells));
  // A variation without traffic has no share.
  const split = variations.filter(({ perDay }) => perDay > 0).length;
  const shares = variations.map(({ perDay }) => (perDay > 0 ? 1 / split : 0));
  const ratio = sampleRatio(
    arms.map(({ id }) => sums.get(ENTERED)?.find((sum) => sum.variationId === id)?.participants ?? 0),
    shares,
  );
  const totals = attached.map((goal) => goalTotals(goal, { phases: [], hasSquares: false }, sums));
  const rules = {
    method,
    correction,
    significance,
    minConversions: made.minConversions ?? 25,
    minRuntimeDays: made.minRuntimeDays ?? 7,
  };
  const rows = arms.map(({ id, name, isOriginal }, index) => ({
    id,
    name,
    is_original: isOriginal,
    // A variation without traffic has no share.
    traffic_allocation: variations[index].perDay > 0 && variations[index].isStopped !== true ? null : 0,
  }));
  const intakes = intakesOf({ experiment: { archived_at: null }, phases: [], variations: rows });
  const figures = evaluate({
    rules,
    arms,
    goals: totals,
    tuning: new Map(),
    upliftPrior: null,
    plan: null,
    daysRunning: days - 0.4,
    isClosed: false,
    stopped: new Set(rows.flatMap(({ id }) => (intakes.get(id) === 'stopped' ? [id] : []))),
    singleLook,
    hasSampleRatioMismatch: ratio.isMismatch,
  });
  const results = {
    experiment: {
      id: 1,
      name: made.name ?? 'Checkout button',
      status: made.status ?? 'running',
      isFinal: false,
      isDecided: made.isDecided ?? false,
    },
    daysRunning: days - 0.4,
    hasResults: true,
    participants: (sums.get(ENTERED) ?? []).reduce((all, { participants }) => all + participants, 0),
    entered: participantsByVariation(sums),
    crossovers: 3,
    expectedShares: new Map(arms.map(({ id }, index) => [id, shares[index]])),
    sampleRatio: ratio,
    significance: significanceFraction(significance),
    correction,
    hasWindows: false,
    goals: attached.map(({ value_type, ...goal }, index) => ({
      ...goal,
      role: roleOf(goal, index),
      tripped: [],
      hasValue: value_type !== 'none',
      currency: null,
      metric: value_type === 'none' ? ('conversion' as const) : ('value' as const),
      variations: figures[index],
      gates: gatesOf(totals[index], { arms, rules, plan: null, singleLook }, figures[index], {
        planned: singleLook === undefined ? null : { ...PLAN, look: singleLook },
        intakes,
      }),
    })),
  };
  return {
    results,
    everybody: results,
    progress: progressOf({ goals: attached, variations: rows, phases: [], hasSquares: false }, shown, cells, {
      method,
      alpha: alphaOf(significance),
      tuning: new Map(),
    }),
    entries: null,
    filter: EVERYBODY,
    form: { startDate: '', endDate: '', deviceTypes: [], cohorts: '', errors: {} },
    path: '/share/token',
    asOf: (FIRST_DAY + days) * DAY_MICROS - DAY_MICROS / 3,
    lastEventAt: (FIRST_DAY + days) * DAY_MICROS - DAY_MICROS / 3 - 65_000_000,
  };
}

const roleOf = ({ isGuardrail }: { isGuardrail: boolean }, index: number): GoalRole =>
  isGuardrail ? 'guardrail' : index === 0 ? 'primary' : 'secondary';

function cellsOf(
  day: number,
  variations: readonly MadeVariation[],
  goals: NonNullable<MadeExperiment['goals']>,
): DailyCellSum[] {
  return variations.flatMap(({ perDay, rate, value = 0 }, index) => {
    const none = {
      variationId: index + 1,
      phase: 1,
      day,
      converters: 0,
      conversions: 0,
      value: 0n,
      valueSquared: 0n,
      uncappedValue: 0n,
      conversionsSquared: 0n,
      valueByConversions: 0n,
    };
    const entered = wobbling(perDay, day, index);
    const converted = goals.map(({ effect = 1, hasValue = false }, goal) => {
      const factor = index === 0 ? 1 : effect;
      const converters = Math.min(entered, wobbling(entered * rate * factor, day, index + 7 * (goal + 1)));
      const units = BigInt(Math.round(value * 10_000));
      const spread = [units / 2n, units, units + units / 2n];
      const squares = spread.reduce((sum, unit) => sum + unit * unit, 0n) / 3n;
      return {
        ...none,
        goalId: goal + 101,
        participants: 0,
        converters,
        conversions: converters,
        value: hasValue ? units * BigInt(converters) : 0n,
        valueSquared: hasValue ? squares * BigInt(converters) : 0n,
        uncappedValue: hasValue ? units * BigInt(converters) : 0n,
      };
    });
    return [{ ...none, goalId: ENTERED, participants: entered }, ...converted];
  });
}

function totalsOf(cells: readonly DailyCellSum[]): DailyCellSum[] {
  const totals = new Map<string, DailyCellSum>();
  for (const cell of cells) {
    const key = `${cell.goalId} ${cell.variationId}`;
    const known = totals.get(key);
    totals.set(
      key,
      known === undefined
        ? cell
        : {
            ...cell,
            participants: known.participants + cell.participants,
            converters: known.converters + cell.converters,
            conversions: known.conversions + cell.conversions,
            value: known.value + cell.value,
            valueSquared: known.valueSquared + cell.valueSquared,
            uncappedValue: known.uncappedValue + cell.uncappedValue,
          },
    );
  }
  return [...totals.values()];
}
