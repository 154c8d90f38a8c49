import { z } from 'zod';
import { sampleRatio } from '../../statistics/sample-ratio';
import { filledShares } from '../../variations/variation-shares';
import type { CallApi } from '../api-port';
import { experimentId, experimentPath } from '../inputs';
import { defineTool, request } from '../tool';

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
    isMismatch: z
      .boolean()
      .describe('False only means that it is not proven: of few participants nothing can be told.'),
  }),
  crossovers: z
    .int()
    .describe('Participants who were later shown another variation; many mean that assignments do not last.'),
});

type Info = z.output<typeof info>;
type Experiment = Parameters<typeof experimentPath>[0];

export const getResultsInfo = defineTool({
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
    const text = data.has_results
      ? `${data.participants} participants. ${await ratioOf(data, args, call)}`
      : 'Nobody has taken part yet.';
    return { text, data };
  },
});

async function ratioOf(
  { participants, sample_ratio_mismatch: { isMismatch, degreesOfFreedom } }: Info,
  experiment: Experiment,
  call: CallApi,
): Promise<string> {
  if (isMismatch) {
    return 'They do NOT divide as the shares say: trust no figure before the reason is found.';
  }
  if (degreesOfFreedom === 0) {
    return 'There are no two variations with a share, so there is nothing to divide.';
  }
  return couldTell(participants, await sharesOf(experiment, call))
    ? 'They divide as the shares say.'
    : 'They are too few to tell whether they divide as the shares say.';
}

/** Would it be a mismatch if all of them were in the variation with the smallest share? */
function couldTell(participants: number, shares: readonly number[]): boolean {
  const smallest = shares.indexOf(Math.min(...shares.filter((share) => share > 0)));
  return sampleRatio(
    shares.map((_, index) => (index === smallest ? participants : 0)),
    shares,
  ).isMismatch;
}

const shared = z.object({ variations: z.array(z.object({ traffic_allocation: z.number().nullable() })) });

async function sharesOf(experiment: Experiment, call: CallApi): Promise<number[]> {
  const query = { fields: ['variations'] };
  const { body } = await request(call, { method: 'GET', path: experimentPath(experiment), query });
  return filledShares(shared.parse(body).variations.map(({ traffic_allocation }) => traffic_allocation));
}
