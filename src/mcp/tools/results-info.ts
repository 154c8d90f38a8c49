import type { ResultsInfo } from '../../results/result.record';
import { canDetectMismatch } from '../../statistics/sample-ratio';
import { filledShares } from '../../variations/variation-shares';
import type { Reference, Shape } from '../reference';
import { Api, defineTool, Tool } from '../tool';
import type { OfExperiment } from './experiment-shapes';

const INFO = {
  share_url: true,
  has_results: true,
  participants: true,
  first_event_at: true,
  last_event_at: true,
  sample_ratio_mismatch: { chiSquare: true, degreesOfFreedom: true, pValue: true, isMismatch: true },
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

interface Shares {
  variations: { traffic_allocation: number | null }[];
}

const ANSWER = {
  share_url: 'A secret: give it only to the person you work for.',
  'sample_ratio_mismatch.isMismatch': 'False only means not proven: few participants prove nothing.',
};

export function infoTool(reference: Reference): Tool {
  const infos = reference.shape<Info>('ResultsInfo', INFO);
  const shares = reference.shape<Shares>('ExperimentRecord', { variations: { traffic_allocation: true } });
  return defineTool<OfExperiment>(reference, {
    name: 'get_results_info',
    title: 'Check the health',
    description:
      'Can the results be trusted, and do they still come in? Participants, first and last event, sample-ratio mismatch (something is broken), crossovers, and the share link.',
    effect: 'reads',
    operation: 'showResultsInfo',
    answer: ANSWER,
    run: async (args, api) => {
      const info = infos.take((await api.ask(args)).body);
      const text = info.has_results
        ? `${info.participants} participants. ${await ratioOf(info, args, api, shares)}`
        : 'Nobody has taken part yet.';
      return { text, data: { ...info } };
    },
  });
}

async function ratioOf(
  { participants, phases, sample_ratio_mismatch: { isMismatch } }: Info,
  experiment: OfExperiment,
  api: Api,
  drafts: Shape<Shares>,
): Promise<string> {
  if (isMismatch) {
    return 'They are NOT split by the shares: trust no figure until the cause is found.';
  }
  const checked =
    phases.length > 0
      ? phases.map((phase) => ({ participants: phase.participants, shares: Object.values(phase.shares) }))
      : [{ participants, shares: await sharesOf(experiment, api, drafts) }];
  if (checked.every(({ shares }) => shares.filter((share) => share > 0).length < 2)) {
    return 'Fewer than two variations have a share, so there is no ratio to check.';
  }
  return checked.some((phase) => canDetectMismatch(phase.participants, phase.shares))
    ? 'They are split by the shares.'
    : 'They are too few to tell whether they are split by the shares.';
}

async function sharesOf(experiment: OfExperiment, api: Api, shares: Shape<Shares>): Promise<number[]> {
  const { body } = await api.ask({ ...experiment, fields: ['variations'] }, 'showExperiment');
  return filledShares(shares.take(body).variations.map(({ traffic_allocation }) => traffic_allocation));
}
