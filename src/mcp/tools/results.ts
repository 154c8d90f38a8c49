import { DEVICE_TYPES } from '../../events/device-types';
import type { ResultEntry, ResultsInfo } from '../../results/result.record';
import type { GoalRecord } from '../../resources/goals/goal.record';
import { formatChange, formatChangeRange } from '../../presentation/text/numbers';
import { isForEveryDay } from '../../sharing/certainty-words';
import type { VariationStatistics } from '../../statistics/result';
import { intervalsOf } from '../../statistics/shown-intervals';
import type { Reference, Shape } from '../reference';
import { MistakenError } from '../refusals';
import { Api, defineTool, Tool } from '../tool';
import type { OfExperiment } from './experiment-shapes';

/* The fields of results for assistants, with explanations. */

const COMPARISON = {
  difference: true,
  interval: true,
  upliftInterval: true,
  pValue: true,
  pValueAdjusted: true,
  sequential: { interval: true, upliftInterval: true, pValue: true },
  bayesian: { chanceToBeatOriginal: true, expectedLoss: true },
} as const;

const FIGURES = {
  id: true,
  name: true,
  isOriginal: true,
  participants: true,
  conversions: true,
  totalConversions: true,
  conversionRate: true,
  totalValue: true,
  valuePerParticipant: true,
  valuePerConversion: true,
  conversionsPerParticipant: true,
  uplift: true,
  confidence: true,
  isConfident: true,
  duration: { daysRunning: true, daysLeft: true, minRuntimeReached: true, minConversionsReached: true },
  statistics: {
    metric: true,
    method: true,
    significance: true,
    verdict: true,
    warnings: true,
    conversion: COMPARISON,
    value: COMPARISON,
    count: COMPARISON,
    planned: { interval: true, upliftInterval: true, lookedOn: true, decidedOn: true, isOver: true },
    minimumDetectableEffect: true,
    ratio: { standardError: true, interval: true, difference: true, pValue: true },
  },
} as const;

/** The fields of a results entry. */
const ENTRY = {
  id: true,
  role: true,
  type: true,
  name: true,
  api_name: true,
  tripped: true,
  variationStatistics: FIGURES,
} as const;

const INFO = {
  share_url: true,
  has_results: true,
  participants: true,
  first_event_at: true,
  last_event_at: true,
  sample_ratio_mismatch: {
    chiSquare: true,
    degreesOfFreedom: true,
    pValue: true,
    isMismatch: true,
  },
  can_detect_mismatch: true,
  crossovers: true,
  events_counted_before: true,
  ended_at: true,
  counted_until: true,
  is_final: true,
  revised_at: true,
  events_removed_before: true,
  recomputing: true,
  phases: { number: true, began_at: true, ended_at: true, shares: true, participants: true },
} as const;

type Info = Pick<ResultsInfo, keyof typeof INFO>;

function infoTool(reference: Reference): Tool {
  const infos = reference.shape<Info>('ResultsInfo', INFO);
  return defineTool<OfExperiment>(reference, {
    name: 'get_results_info',
    title: 'Check the health',
    description:
      'Data quality of the results, and whether events still arrive. A sample-ratio mismatch means that something is broken; no mismatch proves nothing unless `can_detect_mismatch`. The share link is secret: give it only to the user.',
    effect: 'reads',
    operation: 'showResultsInfo',
    run: async (args, api) => {
      const info = infos.take((await api.ask(args)).body);
      const text = info.has_results
        ? `${info.participants} participants. ${ratioOf(info)}`
        : 'No participants yet.';
      return { text, data: { ...info } };
    },
  });
}

function ratioOf({ phases, sample_ratio_mismatch: ratio, can_detect_mismatch: canDetect }: Info): string {
  if (ratio.isMismatch) {
    return 'The split does NOT match the shares: trust no figure until the cause is found.';
  }
  if (canDetect) {
    return 'The split matches the shares.';
  }
  if (ratio.degreesOfFreedom === 0 && phases.every(({ shares }) => !isSplit(shares))) {
    return 'Fewer than two variations have a share, so there is no ratio to check.';
  }
  const few = 'They are too few to tell whether the split matches the shares.';
  return phases.length > 1 ? `${few} Phases that cannot be tested are left out.` : few;
}

const isSplit = (shares: Readonly<Record<string, number>>): boolean =>
  Object.values(shares).filter((share) => share > 0).length > 1;

/** A results entry, reduced to the fields in `ENTRY`. */
type Entry = ResultEntry;
type ShownEntry = Entry & { direction: GoalRecord['direction'] | null };
type Goal = Pick<GoalRecord, 'id' | 'direction'>;

interface GetResults extends OfExperiment {
  goal_id?: number;
}

const ARGS = {
  goal_id: { type: 'integer', minimum: 1 },
  deviceTypes: {
    type: 'array',
    minItems: 1,
    maxItems: DEVICE_TYPES.length,
    items: { type: 'string', title: 'device type', enum: DEVICE_TYPES },
    description: 'Devices of the first exposure.',
  },
};

const DESCRIPTION = [
  'Statistics by goal (or only for goal_id) and variation; the first goal is the primary one.',
  'Decide by `verdict` and `isConfident`: every day with the methods `sequential` and `planned`, otherwise once, at the planned end.',
  '`confidence`, `pValue` and `interval` are for one look, and `bayesian` is not protected against repeated looks: never stop because of them.',
  'Quote the intervals in `sequential` or `planned` if that is the method.',
  '`verdict` and `bayesian` follow the `direction` of the goal, unlike `difference` and `uplift` (0.07 is 7 % more).',
  'Every comparison has its own error rate unless the project corrects: judge by the primary goal, and say how many others there are.',
  '`inconclusive` is not "no effect": say what is missing.',
  'Variations in `tripped` are significantly worse on a guardrail.',
  '`untrustworthy`: trust none of the figures, and say so first.',
  'Many filters show differences by chance.',
].join(' ');

export function resultTools(reference: Reference): readonly Tool[] {
  const entries = reference.shapes<Entry>('ResultEntry', ENTRY);
  const directions = reference.shapes<Goal>('GoalRecord', { id: true, direction: true });
  const getResults = defineTool<GetResults>(reference, {
    name: 'get_results',
    title: 'Read the results',
    description: DESCRIPTION,
    effect: 'reads',
    operation: 'showResults',
    query: ['startDate', 'endDate', 'deviceTypes', 'cohorts'],
    args: ARGS,
    run: async ({ goal_id, ...args }, api) => {
      const attached = entries.take((await api.ask(args)).body);
      const goals = await withDirections(chosen(attached, goal_id), args, api, directions);
      const text = [...goals.map(sentence), ...caution(goals)].join('\n');
      return {
        text: text || 'No goal is attached to the experiment, so nothing is measured.',
        data: { goals },
      };
    },
  });
  return [getResults, infoTool(reference)];
}

/** @throws MistakenError if no goal with this id is attached */
function chosen(attached: readonly Entry[], goalId: number | undefined): readonly Entry[] {
  const entries = attached.filter(({ id }) => goalId === undefined || id === goalId);
  if (goalId !== undefined && entries.length === 0) {
    const ids = attached.map(({ id, name }) => `${id} ${JSON.stringify(name)}`);
    throw new MistakenError(
      `No goal ${goalId} is attached to the experiment. Attached: ${ids.join(', ') || 'none'}.`,
    );
  }
  return entries;
}

/** The direction is a field of goals, not of results. */
async function withDirections(
  entries: readonly Entry[],
  { project_id }: OfExperiment,
  api: Api,
  shape: Shape<Goal[]>,
): Promise<ShownEntry[]> {
  if (entries.length === 0) {
    return [];
  }
  const known = shape.take((await api.ask({ project_id }, 'listGoals')).body);
  const directions = new Map(known.map(({ id, direction }) => [id, direction]));
  return entries.map((each) => ({ ...each, direction: directions.get(each.id) ?? null }));
}

/** A warning if verdicts are not valid when results are checked repeatedly. */
function caution([first]: readonly ShownEntry[]): string[] {
  const [figures] = Object.values(first?.variationStatistics ?? {});
  const method = figures?.statistics.method ?? 'sequential';
  return isForEveryDay(method)
    ? []
    : [
        `The method of the project is ${method}: verdicts hold for one look at the planned end, and do not justify stopping early.`,
      ];
}

const TRIPPED = ', tripped: significantly worse than the original';

function sentence({ name, role, direction, tripped, variationStatistics }: ShownEntry): string {
  const all = Object.values(variationStatistics);
  const isBroken = all.some(({ statistics }) => statistics.warnings.includes('SAMPLE_RATIO_MISMATCH'));
  const compared = all.filter(({ isOriginal }) => !isOriginal);
  const verdicts = compared.map((each) => {
    const trip = tripped?.includes(each.id) === true ? TRIPPED : null;
    return `${JSON.stringify(each.name)} ${verdictText(each, isBroken, trip)}`;
  });
  const people = all.reduce((sum, { participants }) => sum + participants, 0);
  return [
    `${role === 'guardrail' ? 'Guardrail ' : ''}${JSON.stringify(name)}${direction === 'decrease' ? ' (lower is better)' : ''}, ${people} participants: ${verdicts.join(', ')}.`,
    ...(isBroken ? ['Sample ratio mismatch: do not trust these figures until the cause is found.'] : []),
  ].join(' ');
}

/**
 * The verdict, and the uplift with the method's interval. Figures that cannot be trusted are omitted. A guardrail trips
 * without waiting for the minimums, so listing unmet minimums next to a tripped guardrail would be contradictory.
 */
function verdictText(figures: VariationStatistics, isBroken: boolean, trip: string | null): string {
  const { verdict } = figures.statistics;
  const { uplift } = intervalsOf(figures);
  if (isBroken || figures.uplift === null) {
    return `${verdict}${trip ?? ''}`;
  }
  const lookedOn = figures.statistics.planned?.lookedOn ?? null;
  const look = lookedOn === null ? '' : ` at the look on ${lookedOn}`;
  const range = uplift === null ? 'no interval' : `${plain(formatChangeRange(uplift))}${look}`;
  return `${verdict} (uplift ${plain(formatChange(figures.uplift))}, ${range})${trip ?? missing(figures)}`;
}

/** What an undecided verdict still needs, as text. If the plan is over, the text says so instead. */
function missing({ statistics, duration }: VariationStatistics): string {
  if (statistics.verdict !== 'inconclusive') {
    return '';
  }
  if (statistics.planned?.isOver === true) {
    return ', the plan is over without a verdict';
  }
  const waits = [
    ...(duration.minConversionsReached ? [] : ['min_conversions']),
    ...(duration.minRuntimeReached ? [] : ['min_runtime_days']),
  ];
  return waits.length > 0 ? `, too early to say: ${waits.join(' and ')} not reached` : '';
}

/** Replaces characters that are not on keyboards. */
const plain = (text: string): string => text.replaceAll('\u202f', ' ').replaceAll('−', '-');
