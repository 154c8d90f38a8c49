import { STATUSES } from '../../experiments/experiment-status';
import { LISTING, MAX_TEXT, readPage } from '../listing';
import type { Arguments, Reference } from '../reference';
import { defineTool, Tool } from '../tool';
import { ExperimentViews, LISTED } from './experiment-shapes';

/** The maximum number of tags per experiment. */
const MAX_TAGS = 50;

const TAG = {
  type: 'string',
  title: 'tag',
  maxLength: MAX_TEXT,
  pattern: '^[^,]*[^,\\s][^,]*$',
  'x-message': 'must be a string without commas: the filter does not support tags with commas',
};

const FILTERS = {
  status: {
    type: 'array',
    minItems: 1,
    maxItems: STATUSES.length,
    items: { type: 'string', title: 'status', enum: STATUSES },
  },
  tags: {
    type: 'array',
    minItems: 1,
    maxItems: MAX_TAGS,
    items: TAG,
    description: 'Any of these.',
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
      description: 'The experiments of a project in short form, oldest first.',
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
      description: 'One experiment with its variations and attachments. Read it before you change it.',
      effect: 'reads',
      operation: 'showExperiment',
      args: {
        include_code: {
          type: 'boolean',
          default: false,
          description: 'Include all code, which may be long.',
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
