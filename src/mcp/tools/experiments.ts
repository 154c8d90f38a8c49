import { z } from 'zod';
import { STATUSES } from '../../experiments/experiment-status';
import { experimentId, experimentPath, projectId, shortText, variationId, variationPath } from '../inputs';
import { listInput, listOutput, readPage } from '../listing';
import { defineTool, request, Tool } from '../tool';
import {
  experimentOutput,
  LISTED_FIELDS,
  listedExperiment,
  showExperiment,
  showVariation,
  variationOutput,
} from './experiment-shapes';

/** As many as an experiment may have. */
const MAX_TAGS = 50;

const listExperiments = defineTool({
  name: 'list_experiments',
  title: 'List the experiments of a project',
  description:
    'The experiments of a project in a short form, in the order in which they were made. Narrow the list by status, tags or a part of the name.',
  effect: 'reads',
  input: z.strictObject({
    ...projectId,
    status: z
      .array(z.enum(STATUSES))
      .min(1)
      .max(STATUSES.length)
      .optional()
      .describe('Only those with one of these statuses.'),
    tags: z
      .array(shortText.regex(/^[^,]*$/, 'Tags with a comma cannot be asked for.'))
      .min(1)
      .max(MAX_TAGS)
      .optional()
      .describe(
        'Only those with at least one of these tags. Tags with a comma cannot be asked for: search by name, or look through the list.',
      ),
    ...listInput,
  }),
  output: listOutput(listedExperiment),
  run: ({ project_id, status, tags, ...args }, call) =>
    readPage(call, args, {
      path: `/projects/${project_id}/experiments`,
      record: listedExperiment,
      query: { fields: LISTED_FIELDS, variations: 'lite', status, tags },
      called: 'experiments',
    }),
});

const getExperiment = defineTool({
  name: 'get_experiment',
  title: 'Show an experiment',
  description:
    'One experiment with its variations and everything that is attached to it. Read it before you change it: its if_match says which state you have seen. Code is left out unless you ask for it.',
  effect: 'reads',
  input: z.strictObject({
    ...experimentId,
    include_code: z
      .boolean()
      .default(false)
      .describe('Also the code of the experiment and of all its variations, which may be long.'),
  }),
  output: experimentOutput,
  run: async ({ include_code, ...args }, call) => {
    const data = showExperiment(
      await request(call, { method: 'GET', path: experimentPath(args) }),
      include_code,
    );
    const { name, status, variations } = data.experiment;
    return {
      text: `${JSON.stringify(name)} is in status ${status}, with ${variations.length} variations.`,
      data,
    };
  },
});

const getVariation = defineTool({
  name: 'get_variation',
  title: 'Show a variation',
  description:
    'One variation with its code. Read it before you change it: its if_match says which state you have seen.',
  effect: 'reads',
  input: z.strictObject(variationId),
  output: variationOutput,
  run: async (args, call) => {
    const data = showVariation(await request(call, { method: 'GET', path: variationPath(args) }), true);
    return { text: `Variation ${JSON.stringify(data.variation.name)}.`, data };
  },
});

export const experimentTools: readonly Tool[] = [listExperiments, getExperiment, getVariation];
