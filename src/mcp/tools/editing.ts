import type { Reference } from '../reference';
import { defineTool, Tool } from '../tool';
import { ExperimentViews } from './experiment-shapes';

const WAITS = 'Visitors see edits of a live experiment after publish_project.';

const ID = { type: 'integer', minimum: 1 };
const attached = (description = 'Ids.') => ({ items: ID, description });

/** Records are attached by their ids; the API also takes them as it shows them. */
const ATTACHED = {
  audiences: attached('Ids; none = everyone.'),
  pages: attached(),
  goals: attached('Ids, the primary goal first.'),
  environments: attached(),
};

export function editingTools(reference: Reference): readonly Tool[] {
  const views = new ExperimentViews(reference);
  return [
    defineTool(reference, {
      name: 'draft_experiment',
      title: 'Draft an experiment',
      description:
        'Makes an experiment in status draft, which no visitor sees. To be started it needs a page, a goal and a variation; variations have the fields of add_variation, and the first is the original, usually without code.',
      effect: 'adds',
      operation: 'createExperiment',
      args: { ...ATTACHED, variations: { items: { type: 'object', required: ['name'] } } },
      run: async (args, api) => {
        const data = views.experiment(await api.ask(args));
        const { id, name } = data.experiment;
        return {
          text: `Drafted ${JSON.stringify(name)} with id ${id}. No visitor sees it yet.`,
          data,
        };
      },
    }),
    defineTool(reference, {
      name: 'update_experiment',
      title: 'Change an experiment',
      description: `Changes the fields that are given, which draft_experiment explains; lists replace what is attached. ${WAITS} Do not change what is measured or shown while it runs: that mixes two experiments into one.`,
      effect: 'changes',
      operation: 'patchExperiment',
      ifMatch: 'required',
      explainedElsewhere: true,
      args: ATTACHED,
      run: async (args, api) => {
        const data = views.experiment(await api.ask(args));
        return { text: `Changed ${JSON.stringify(data.experiment.name)}.`, data };
      },
    }),
    defineTool(reference, {
      name: 'add_variation',
      title: 'Add a variation',
      description: `Adds a variation to an experiment. ${WAITS}`,
      effect: 'adds',
      operation: 'createVariation',
      run: async (args, api) => {
        const data = views.variation(await api.ask(args));
        const { id, name } = data.variation;
        return { text: `Added the variation ${JSON.stringify(name)} with id ${id}.`, data };
      },
    }),
    defineTool(reference, {
      name: 'update_variation',
      title: 'Change a variation',
      description: `Changes the fields that are given, which add_variation explains. ${WAITS}`,
      effect: 'changes',
      operation: 'patchVariation',
      ifMatch: 'required',
      explainedElsewhere: true,
      run: async (args, api) => {
        const data = views.variation(await api.ask(args));
        return { text: `Changed the variation ${JSON.stringify(data.variation.name)}.`, data };
      },
    }),
  ];
}
