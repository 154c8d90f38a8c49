import type { EntityManager } from 'typeorm';
import { groupBy } from '../common/lists/grouping';
import { liveRanges } from '../experiments/exclusion/exclusion-claims';
import { groupMembers } from '../experiments/exclusion/exclusion-range.store';
import type { LiveDefinitions, LiveExclusion } from './definitions';

/**
 * The experiments with their current parts of exclusion groups. The parts of an earlier publication are not used, so
 * that no two experiments of a publication have the same visitors.
 */
export async function withExclusion(
  manager: EntityManager,
  projectId: number,
  definitions: LiveDefinitions,
): Promise<LiveDefinitions> {
  const live = new Set(definitions.experiments.map(({ id }) => id));
  const members = (await groupMembers(manager, projectId)).filter(({ id }) => live.has(id));
  const parts = new Map<number, LiveExclusion>();
  for (const [group, own] of groupBy(members, (member) => member.exclusion_group_id)) {
    for (const [id, ranges] of await liveRanges(manager, group, own)) {
      parts.set(id, { group, ranges });
    }
  }
  const experiments = definitions.experiments.map(({ exclusion: _, ...experiment }) => {
    const exclusion = parts.get(experiment.id);
    return exclusion === undefined ? experiment : { ...experiment, exclusion };
  });
  return { ...definitions, experiments };
}
