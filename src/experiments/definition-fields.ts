import type { UpdateExperiment } from './experiment.dto';

/** How an experiment field is represented in a project definition. */
export interface ExperimentDefinitionField {
  /** The collection that the ids in the field refer to. Definitions contain api_names instead. */
  references?: string;
  /** Whether visitors may notice a change to the field. */
  isSeen: boolean;
}

const SEEN = { isSeen: true };
const UNSEEN = { isSeen: false };

/**
 * All experiment fields that can be changed; null for fields that are not part of the definition. The compiler requires
 * an entry for every field.
 */
export const EXPERIMENT_DEFINITION: Record<keyof UpdateExperiment, ExperimentDefinitionField | null> = {
  api_name: UNSEEN,
  name: UNSEEN,
  description: UNSEEN,
  hypothesis: UNSEEN,
  example_url: UNSEEN,
  tags: UNSEEN,
  traffic_allocation: SEEN,
  audiences_match_type: SEEN,
  audiences: { references: 'audiences', ...SEEN },
  pages: { references: 'pages', ...SEEN },
  goals: { references: 'goals', ...SEEN },
  guardrails: { references: 'goals', ...SEEN },
  guardrail_action: UNSEEN,
  environments: { references: 'environments', ...SEEN },
  exclusion_group_id: { references: 'exclusion_groups', ...SEEN },
  exclusion_share: SEEN,
  minimum_effect: UNSEEN,
  planned_participants: UNSEEN,
  planned_end: UNSEEN,
  shared: UNSEEN,
  js: SEEN,
  reset_js: SEEN,
  css: SEEN,
  /** A definition that contained scheduled times could not be applied again once those times had passed. */
  starts_at: null,
  ends_at: null,
  /** A decision names a user and a time, so it belongs to one installation. */
  decision: null,
};
