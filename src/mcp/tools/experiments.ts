import { STATUSES } from '../../experiments/experiment-status';
import { LISTING, MAX_TEXT, readPage } from '../listing';
import type { Arguments, Reference } from '../reference';
import { defineTool, Tool } from '../tool';
import { ExperimentViews, LISTED } from './experiment-shapes';

/** As many as an experiment may have. */
const MAX_TAGS = 50;

const TAG = {
  type: 'string',
  title: 'tag',
  maxLength: MAX_TEXT,
  pattern: '^[^,]*[^,\\s][^,]*$',
  'x-message': 'must be a text without commas: tags with a comma cannot be asked for',
};

const FILTERS = {
  status: {
    type: 'array',
    minItems: 1,
    maxItems: STATUSES.length,
    items: { type: 'string', title: 'status', enum: STATUSES },
    description: 'One of these.',
  },
  tags: {
    type: 'array',
    minItems: 1,
    maxItems: MAX_TAGS,
    items: TAG,
    description: 'Any of these, which may have no comma.',
  },
};

interface GetExperiment extends Arguments {
  include_code?: boolean;
}

export function experimentTools(reference: Reference): readonly Tool[] {
  const views = new ExperimentViews(reference);
  const listed = reference.shapes<object>('PartialExperimentRecord', LISTED);
  return [
    defineTool(reference, {
      name: 'list_experiments',
      description: 'The experiments of a project in a short form, in the order in which they were made.',
      effect: 'reads',
      operation: 'listExperiments',
      query: LISTING.query,
      args: { ...FILTERS, ...LISTING.args },
      run: (args, api) =>
        readPage(
          api,
          { ...args, fields: Object.keys(LISTED), variations: 'lite' },
          { shape: listed, called: 'experiments' },
        ),
    }),
    defineTool<GetExperiment>(reference, {
      name: 'get_experiment',
      description:
        'One experiment with its variations and everything that is attached to it. Read it before you change it. Code is left out unless you ask for it.',
      effect: 'reads',
      operation: 'showExperiment',
      args: {
        include_code: {
          type: 'boolean',
          default: false,
          description: 'Also the code of the experiment and of all its variations, which may be long.',
        },
      },
      run: async ({ include_code, ...args }, api) => {
        const data = views.experiment(await api.ask(args), include_code);
        const { name, status, variations } = data.experiment;
        const text = `${JSON.stringify(name)} is in status ${status}, with ${variations.length} variations.`;
        return { text, data };
      },
    }),
    defineTool(reference, {
      name: 'get_variation',
      description: 'One variation with its code. Read it before you change it.',
      effect: 'reads',
      operation: 'showVariation',
      run: async (args, api) => {
        const data = views.variation(await api.ask(args), true);
        return { text: `Variation ${JSON.stringify(data.variation.name)}.`, data };
      },
    }),
  ];
}
