import { formatMicros, formatOptionalMicros } from '../../common/time/clock';
import type { CountingRules } from '../counting-rules';
import { decimalText } from '../values';
import type { NamedId } from './export.store';

/**
 * The counting rules of an experiment as one line of JSON: with them, its results can be computed from the events.
 * docs/events-export.md describes the members.
 */
export function rulesLine({ id, name }: NamedId, { runs, finalAt, phases, caps }: CountingRules): string {
  const members = {
    experiment_id: id,
    experiment: name,
    final_at: formatOptionalMicros(finalAt),
    runs: runs.map(({ startedAt, endedAt }) => ({
      started_at: formatMicros(startedAt),
      ended_at: formatOptionalMicros(endedAt),
    })),
    phases: phases.map(formatMicros),
  };
  const valueCaps = [...caps].map(([goal, cap]) => `{"goal_id":${goal},"value_cap":${decimalText(cap)}}`);
  return `${JSON.stringify(members).slice(0, -1)},"value_caps":[${valueCaps.join(',')}]}\n`;
}
