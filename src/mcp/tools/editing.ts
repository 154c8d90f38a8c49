import type { Reference } from '../reference';
import { DECISION_OUTCOMES } from '../../experiments/experiment-descriptions';
import { defineTool, Tool } from '../tool';
import { ExperimentViews } from './experiment-shapes';

const ID = { type: 'integer', minimum: 1 };
const attached = (description?: string) => ({ items: ID, description });

/** Fields that are explained by the tool's description or by their own names. */
const PLAIN = { description: undefined };

/** The decision, without the fields that the API adds. */
const DECISION = {
  properties: {
    outcome: { enum: [...DECISION_OUTCOMES] },
    variation_id: { type: ['integer', 'null'], description: 'To ship.' },
    note: { type: ['string', 'null'] },
  },
};

/** Records are attached by id. The API also accepts whole records, as in responses. */
const ATTACHED = {
  audiences: attached('Ids; none = everyone.'),
  pages: attached(),
  goals: attached('Ids, the primary goal first.'),
  guardrails: attached('Goals that must not get worse.'),
  environments: attached(),
};

/** The tools that create and change experiments and variations. */
export function editingTools(reference: Reference): readonly Tool[] {
  const views = new ExperimentViews(reference);
  return [draftExperiment, updateExperiment, addVariation, updateVariation].map((tool) =>
    tool(reference, views),
  );
}

const draftExperiment = (reference: Reference, views: ExperimentViews): Tool =>
  defineTool(reference, {
    name: 'draft_experiment',
    title: 'Draft an experiment',
    description:
      'Creates a draft, which no visitor sees. To start, it needs a page, a goal and a variation. Variations have the fields of add_variation; the first is the original, usually without code.',
    effect: 'adds',
    operation: 'createExperiment',
    args: {
      ...ATTACHED,
      shared: false,
      starts_at: false,
      ends_at: false,
      example_url: PLAIN,
      audiences_match_type: PLAIN,
      planned_participants: PLAIN,
      tags: PLAIN,
      hypothesis: PLAIN,
      css: PLAIN,
      exclusion_group_id: PLAIN,
      guardrail_action: { description: 'What happens if a guardrail gets worse.' },
      variations: { items: { type: 'object', required: ['name'] }, ...PLAIN },
    },
    run: async (args, api) => {
      const data = views.experiment(await api.ask(args));
      const { id, name } = data.experiment;
      return {
        text: `Drafted ${JSON.stringify(name)} with id ${id}. No visitor sees it yet.`,
        data,
      };
    },
  });

const updateExperiment = (reference: Reference, views: ExperimentViews): Tool =>
  defineTool(reference, {
    name: 'update_experiment',
    title: 'Change an experiment',
    description:
      'Changes the given fields; see draft_experiment. Lists replace what is attached. Do not change what is measured or shown while it runs: that mixes two experiments into one.',
    effect: 'changes',
    operation: 'patchExperiment',
    ifMatch: 'required',
    explainedElsewhere: true,
    explained: ['decision'],
    args: { ...ATTACHED, decision: DECISION, shared: false },
    run: async (args, api) => {
      const data = views.experiment(await api.ask(args));
      return { text: `Changed ${JSON.stringify(data.experiment.name)}.`, data };
    },
  });

const addVariation = (reference: Reference, views: ExperimentViews): Tool =>
  defineTool(reference, {
    name: 'add_variation',
    title: 'Add a variation',
    description: 'Adds a variation to an experiment, after the others.',
    effect: 'adds',
    operation: 'createVariation',
    args: {
      is_original: { description: 'Replaces the current original.' },
      traffic_allocation: {
        description: 'Percentage of the participants; absent = an equal share of the rest.',
      },
      js: PLAIN,
      css: PLAIN,
    },
    run: async (args, api) => {
      const data = views.variation(await api.ask(args));
      const { id, name } = data.variation;
      return { text: `Added the variation ${JSON.stringify(name)} with id ${id}.`, data };
    },
  });

const updateVariation = (reference: Reference, views: ExperimentViews): Tool =>
  defineTool(reference, {
    name: 'update_variation',
    title: 'Change a variation',
    description: `Changes the given fields; see add_variation.`,
    effect: 'changes',
    operation: 'patchVariation',
    ifMatch: 'required',
    explainedElsewhere: true,
    run: async (args, api) => {
      const data = views.variation(await api.ask(args));
      return { text: `Changed the variation ${JSON.stringify(data.variation.name)}.`, data };
    },
  });
