import { z } from 'zod';
import { DEVICE_TYPES } from '../../events/device-types';
import type { CallApi } from '../api-port';
import { experimentId, experimentPath } from '../inputs';
import { MistakenError } from '../refusals';
import { defineTool, request, Tool } from '../tool';
import { goal } from './places';
import { getResultsInfo } from './results-info';

const interval = z.array(z.number()).length(2).nullable();
const fraction = z.number().nullable();

const comparison = z.object({
  difference: fraction.describe('Variation minus original: above 0 is more, which is not always better.'),
  interval: interval.describe('Of the difference, for a single planned look.'),
  upliftInterval: interval.describe('Of the uplift, for a single planned look.'),
  pValue: fraction.describe('For a single planned look.'),
  pValueAdjusted: fraction.describe('The same, adjusted where the project corrects for several goals.'),
  sequential: z
    .object({ interval, pValue: z.number() })
    .nullable()
    .describe('Interval of the difference and p-value that stay valid however often one looks.'),
  bayesian: z
    .object({
      chanceToBeatOriginal: fraction.describe('Probability that the variation is better than the original.'),
      expectedLoss: fraction.describe('What choosing the variation costs on average if it is worse.'),
    })
    .nullable()
    .describe(
      'Goes by the direction of the goal, unlike difference and uplift. Not protected against repeated looks: by daily looks it becomes high far too often without any difference. Never a reason to stop early.',
    ),
});

const figures = z.object({
  id: z.int(),
  name: z.string(),
  isOriginal: z.boolean(),
  participants: z.int(),
  conversions: z.int().describe('Participants who converted.'),
  totalConversions: z.int().describe('Conversion events.'),
  conversionRate: fraction,
  totalValue: z.number(),
  valuePerParticipant: fraction,
  uplift: fraction.describe(
    'Relative to the original: 0.07 is 7 % more, which is better only if the direction is increase.',
  ),
  confidence: fraction.describe(
    '1 - p of a test for a single look at the planned end. Never a reason to stop early.',
  ),
  isConfident: z
    .boolean()
    .describe(
      'May one stop now? Significance, min_conversions and min_runtime_days of the project are reached. May be asked every day with the method `sequential` only; with another one it holds for one look at the planned end.',
    ),
  duration: z.object({
    daysRunning: z.number(),
    daysLeft: fraction.describe('A noisy forecast, not a promise.'),
    minRuntimeReached: z.boolean(),
    minConversionsReached: z.boolean(),
  }),
  statistics: z.object({
    metric: z.string().describe('Which of `conversion` and `value` feeds uplift and confidence.'),
    method: z
      .string()
      .describe(
        'What the verdict rests on: `sequential`, or for one planned look `frequentist` or `bayesian`.',
      ),
    significance: z.number(),
    verdict: z.enum(['winner', 'loser', 'inconclusive']),
    warnings: z.array(z.string()),
    conversion: comparison.nullable(),
    value: comparison.nullable(),
  }),
});

const entry = z.object({
  id: z.int().describe('Id of the goal.'),
  type: z.string(),
  name: z.string(),
  api_name: z.string(),
  variationStatistics: z.record(z.string(), figures).describe('By id of the variation.'),
});

const shownEntry = entry.extend({
  direction: goal.shape.direction
    .nullable()
    .describe(
      'Which way is better, by which verdict and bayesian go. Null when the goal has just been deleted.',
    ),
});

type Entry = z.output<typeof entry>;
type ShownEntry = z.output<typeof shownEntry>;

const day = z.string().regex(/^\d{4}-\d{2}-\d{2}$/);

const getResults = defineTool({
  name: 'get_results',
  title: 'Read the results of an experiment',
  description: [
    'Statistics of every attached goal and variation; the first goal is the primary one.',
    'Decide by `verdict` and `isConfident`: they wait for min_conversions and min_runtime_days of the project and may be looked at every day while the method is `sequential`; with another method they are for one look at the planned end.',
    '`confidence`, `pValue` and `interval` are for a single look at the planned end: never recommend to stop because confidence alone has become high, because by daily looks it does so far too often without any difference.',
    '`bayesian` (chanceToBeatOriginal, expectedLoss) is not protected against repeated looks either, so treat it the same. It goes by the `direction` of the goal; `difference` and `uplift` do not: with direction decrease, less than 0 is better.',
    'Every comparison (goal by variation) has an error rate of its own unless the project corrects for them, which it does not by default: among many, one looks like a winner by chance. Judge by the primary goal; of the others say how many there are.',
    '`inconclusive` is not "no effect": say what is missing (days, conversions) instead.',
    'If `warnings` has SAMPLE_RATIO_MISMATCH, trust none of the figures and say so first.',
    'Filters choose participants by their first exposure. Searching many filters or goals for a difference finds one by chance.',
  ].join(' '),
  effect: 'reads',
  input: z.strictObject({
    ...experimentId,
    goal_id: z.int().positive().optional().describe('Only this goal, to keep the answer short.'),
    startDate: day
      .optional()
      .describe('YYYY-MM-DD, UTC: only participants who entered on this day or later.'),
    endDate: day
      .optional()
      .describe('YYYY-MM-DD, UTC: only participants who entered on this day or earlier.'),
    deviceTypes: z
      .array(z.enum(DEVICE_TYPES))
      .min(1)
      .max(DEVICE_TYPES.length)
      .optional()
      .describe('Only participants who used one of these.'),
  }),
  output: z.object({ goals: z.array(shownEntry) }),
  run: async ({ goal_id, startDate, endDate, deviceTypes, ...args }, call) => {
    const path = `${experimentPath(args)}/results`;
    const { body } = await request(call, { method: 'GET', path, query: { startDate, endDate, deviceTypes } });
    const attached = z.array(entry).parse(body);
    const goals = await withDirections(chosen(attached, goal_id), args, call);
    const text = [...goals.map(sentence), ...caution(goals)].join('\n');
    return {
      text: text || 'No goal is attached to the experiment, so nothing is measured.',
      data: { goals },
    };
  },
});

/** @throws MistakenError when no goal with this id is attached */
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

/** Results do not say which way is better; goals do. */
async function withDirections(
  entries: readonly Entry[],
  { project_id }: { project_id: number },
  call: CallApi,
): Promise<ShownEntry[]> {
  if (entries.length === 0) {
    return [];
  }
  const { body } = await request(call, { method: 'GET', path: `/projects/${project_id}/goals` });
  const known = z.array(goal.pick({ id: true, direction: true })).parse(body);
  const directions = new Map(known.map(({ id, direction }) => [id, direction]));
  return entries.map((each) => ({ ...each, direction: directions.get(each.id) ?? null }));
}

/** Says so where verdicts do not hold for repeated looks. */
function caution([first]: readonly ShownEntry[]): string[] {
  const [figures] = Object.values(first?.variationStatistics ?? {});
  const method = figures?.statistics.method ?? 'sequential';
  return method === 'sequential'
    ? []
    : [
        `The method of the project is ${method}: verdicts hold for one look at the planned end, and are no reason to stop early.`,
      ];
}

function sentence({ name, direction, variationStatistics }: ShownEntry): string {
  const all = Object.values(variationStatistics);
  const isBroken = all.some(({ statistics }) => statistics.warnings.includes('SAMPLE_RATIO_MISMATCH'));
  const compared = all.filter(({ isOriginal }) => !isOriginal);
  const verdicts = compared.map((each) => `${JSON.stringify(each.name)} ${each.statistics.verdict}`);
  const people = all.reduce((sum, { participants }) => sum + participants, 0);
  return [
    `${JSON.stringify(name)}${direction === 'decrease' ? ' (less is better)' : ''}, ${people} participants: ${verdicts.join(', ')}.`,
    ...(isBroken ? ['Sample ratio mismatch: do not trust these figures before the reason is found.'] : []),
  ].join(' ');
}

export const resultTools: readonly Tool[] = [getResults, getResultsInfo];
