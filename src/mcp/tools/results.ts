import { z } from 'zod';
import { DEVICE_TYPES } from '../../events/device-types';
import { experimentId, experimentPath } from '../inputs';
import { defineTool, request, Tool } from '../tool';

const interval = z.array(z.number()).length(2).nullable();
const fraction = z.number().nullable();

const comparison = z.object({
  difference: fraction,
  interval: interval.describe('Of the difference, for a single planned look.'),
  upliftInterval: interval.describe('Of the uplift, for a single planned look.'),
  pValue: fraction.describe('For a single planned look.'),
  pValueAdjusted: fraction.describe('The same, adjusted where the project corrects for several goals.'),
  sequential: z
    .object({ interval, pValue: z.number() })
    .nullable()
    .describe('Interval of the difference and p-value that stay valid however often one looks.'),
  bayesian: z.object({ chanceToBeatOriginal: fraction, expectedLoss: fraction }).nullable(),
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
  uplift: fraction.describe('Relative to the original: 0.07 is 7 % more.'),
  confidence: fraction.describe(
    '1 - p of a test for a single look at the planned end. Never a reason to stop early.',
  ),
  isConfident: z.boolean().describe('May one stop now? May be asked every day.'),
  duration: z.object({
    daysRunning: z.number(),
    daysLeft: fraction.describe('A noisy forecast, not a promise.'),
    minRuntimeReached: z.boolean(),
    minConversionsReached: z.boolean(),
  }),
  statistics: z.object({
    metric: z.string().describe('Which of `conversion` and `value` feeds uplift and confidence.'),
    method: z.string(),
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

type Entry = z.output<typeof entry>;

const day = z.string().regex(/^\d{4}-\d{2}-\d{2}$/);

const getResults = defineTool({
  name: 'get_results',
  title: 'Read the results of an experiment',
  description: [
    'Statistics of every attached goal and variation; the first goal is the primary one.',
    'Decide by `verdict` and `isConfident`: they wait for min_conversions and min_runtime_days of the project and may be looked at every day while the method is `sequential`; with another method they are for one look at the planned end.',
    '`confidence`, `pValue` and `interval` are for a single look at the planned end: never recommend to stop because confidence alone has become high, because by daily looks it does so far too often without any difference.',
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
      .optional()
      .describe('Only participants who used one of these.'),
  }),
  output: z.object({ goals: z.array(entry) }),
  run: async ({ goal_id, startDate, endDate, deviceTypes, ...args }, call) => {
    const path = `${experimentPath(args)}/results`;
    const { body } = await request(call, { method: 'GET', path, query: { startDate, endDate, deviceTypes } });
    const goals = z
      .array(entry)
      .parse(body)
      .filter(({ id }) => goal_id === undefined || id === goal_id);
    return {
      text: goals.map(sentence).join('\n') || 'No such goal is attached to the experiment.',
      data: { goals },
    };
  },
});

function sentence({ name, variationStatistics }: Entry): string {
  const all = Object.values(variationStatistics);
  const isBroken = all.some(({ statistics }) => statistics.warnings.includes('SAMPLE_RATIO_MISMATCH'));
  const compared = all.filter(({ isOriginal }) => !isOriginal);
  const verdicts = compared.map((each) => `${JSON.stringify(each.name)} ${each.statistics.verdict}`);
  const people = all.reduce((sum, { participants }) => sum + participants, 0);
  return [
    `${JSON.stringify(name)}, ${people} participants: ${verdicts.join(', ')}.`,
    ...(isBroken ? ['Sample ratio mismatch: do not trust these figures before the reason is found.'] : []),
  ].join(' ');
}

const info = z.object({
  share_url: z
    .string()
    .describe('Shows the results, with plots, to whoever has this address. A secret of the team.'),
  has_results: z.boolean(),
  participants: z.int(),
  first_event_at: z.string().nullable(),
  last_event_at: z.string().nullable(),
  sample_ratio_mismatch: z.object({
    chiSquare: z.number(),
    degreesOfFreedom: z.int(),
    pValue: z.number(),
    isMismatch: z.boolean(),
  }),
  crossovers: z
    .int()
    .describe('Participants who were later shown another variation; many mean that assignments do not last.'),
});

const getResultsInfo = defineTool({
  name: 'get_results_info',
  title: 'Check the health of an experiment',
  description:
    'Whether results can be trusted and are still coming in: participants, first and last event, sample-ratio mismatch (participants who do not divide as the shares say, so something is broken), crossovers, and the address at which people see the results with plots. Give that address only to the person you work for.',
  effect: 'reads',
  input: z.strictObject(experimentId),
  output: info,
  run: async (args, call) => {
    const { body } = await request(call, { method: 'GET', path: `${experimentPath(args)}/results/info` });
    const data = info.parse(body);
    const isBroken = data.sample_ratio_mismatch.isMismatch;
    const ratio = isBroken
      ? 'They do NOT divide as the shares say: trust no figure before the reason is found.'
      : 'They divide as the shares say.';
    return { text: `${data.participants} participants. ${ratio}`, data };
  },
});

export const resultTools: readonly Tool[] = [getResults, getResultsInfo];
