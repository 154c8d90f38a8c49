import { defineResource } from '../../projects/resources/resource';
import {
  CreateExclusionGroup,
  ExclusionGroupRecord,
  toExclusionGroupRecord,
  UpdateExclusionGroup,
} from './exclusion-group.record';
import { ExclusionGroup } from './exclusion-group.entity';

export const EXCLUSION_GROUPS = defineResource({
  type: 'exclusion_group',
  collection: 'exclusion_groups',
  entity: ExclusionGroup,
  record: ExclusionGroupRecord,
  toRecord: toExclusionGroupRecord,
  texts: {
    chapter: 'Define which experiments exclude each other.',
    purpose: `A visitor takes part in at most one experiment of an exclusion group. Set \`exclusion_group_id\` on the
experiments, and \`exclusion_share\` to the percentage of the group's visitors that each experiment gets.`,
  },
  writes: {
    create: CreateExclusionGroup,
    update: UpdateExclusionGroup,
    newColumns: ({ description = null }) => ({ description }),
    texts: {
      create: `Creates an exclusion group for experiments that must not share visitors.`,
      update: `Visitors are not affected. Their assignment depends on the id of the group, not on its name or \`api_name\`.`,
      remove: `Rejected with 422 while unarchived experiments use the group; the response lists them. Archived experiments lose the group.`,
    },
  },
});
