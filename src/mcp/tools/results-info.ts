import type { ResultsInfo } from '../../results/result.record';
import type { Reference } from '../reference';
import { defineTool, Tool } from '../tool';
import type { OfExperiment } from './experiment-shapes';

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

export function infoTool(reference: Reference): Tool {
  const infos = reference.shape<Info>('ResultsInfo', INFO);
  return defineTool<OfExperiment>(reference, {
    name: 'get_results_info',
    title: 'Check the health',
    description:
      'Can the results be trusted, and do they still come in? A sample-ratio mismatch means that something is broken; none proves nothing unless `can_detect_mismatch`. The share link is a secret: give it only to the person you work for.',
    effect: 'reads',
    operation: 'showResultsInfo',
    run: async (args, api) => {
      const info = infos.take((await api.ask(args)).body);
      const text = info.has_results
        ? `${info.participants} participants. ${ratioOf(info)}`
        : 'Nobody has taken part yet.';
      return { text, data: { ...info } };
    },
  });
}

function ratioOf({ phases, sample_ratio_mismatch: ratio, can_detect_mismatch: canDetect }: Info): string {
  if (ratio.isMismatch) {
    return 'They are NOT split by the shares: trust no figure until the cause is found.';
  }
  if (canDetect) {
    return 'They are split by the shares.';
  }
  if (ratio.degreesOfFreedom === 0 && phases.every(({ shares }) => !isSplit(shares))) {
    return 'Fewer than two variations have a share, so there is no ratio to check.';
  }
  const few = 'They are too few to tell whether they are split by the shares.';
  return phases.length > 1 ? `${few} Phases that cannot be tested are left out.` : few;
}

const isSplit = (shares: Readonly<Record<string, number>>): boolean =>
  Object.values(shares).filter((share) => share > 0).length > 1;
