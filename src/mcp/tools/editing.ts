import { z } from 'zod';
import type { ExperimentRecord } from '../../experiments/experiment.record';
import {
  choice,
  experimentId,
  experimentPath,
  idempotencyKey,
  ifMatch,
  projectId,
  variationId,
  variationPath,
} from '../inputs';
import { change, create, defineTool, Tool } from '../tool';
import { experimentOutput, showExperiment, showVariation, variationOutput } from './experiment-shapes';

const WAITS =
  'Edits of an experiment that is live stay invisible to visitors until publish_project; a draft goes live when it is started.';

const name = z.string().describe('For people.');
const code = (what: string) => z.string().nullable().optional().describe(`${what} Null = none.`);
const ids = (from: string) => z.array(z.int().positive()).optional().describe(from);
const share = z
  .number()
  .nullable()
  .optional()
  .describe(
    'Percent of the participants; null = an equal part of what the others leave. All must add up to 100.',
  );

const variationFields = {
  description: z.string().nullable().optional(),
  traffic_allocation: share,
  js: code('Script that makes the variation out of the page.'),
  css: code('Style that makes the variation out of the page.'),
};

const experimentFields = {
  description: z
    .string()
    .nullable()
    .optional()
    .describe('The hypothesis: what changes, for whom, and why that should help.'),
  example_url: z.string().nullable().optional().describe('Where previews open: an absolute http(s) address.'),
  traffic_allocation: z
    .number()
    .optional()
    .describe('Percent of eligible visitors who take part; 100 unless given.'),
  tags: z.array(z.string()).optional(),
  pages: ids('Ids of pages, from list_pages or create_page; replaces what is attached.'),
  goals: ids(
    'Ids of goals, from list_goals or create_goal, the primary goal first; replaces what is attached.',
  ),
  audiences: ids('Ids of audiences, from list_audiences; replaces what is attached. None = everyone.'),
  audiences_match_type: choice<ExperimentRecord['audiences_match_type']>({
    any: 'one audience is enough',
    all: 'visitors must belong to all of them',
  }).optional(),
  js: code('Script that runs for all variations.'),
  reset_js: code('Script that undoes what the code has done, for single-page applications.'),
  css: code('Style of all variations.'),
};

const draftExperiment = defineTool({
  name: 'draft_experiment',
  title: 'Draft an experiment',
  description:
    'Makes an experiment in status draft, which no visitor sees. To be started it needs at least one page, one goal and one variation; the first variation is the original, usually without code. Then use check_start.',
  effect: 'adds',
  input: z.strictObject({
    ...projectId,
    name,
    ...experimentFields,
    variations: z
      .array(z.strictObject({ name, ...variationFields }))
      .optional()
      .describe('The first one is the original, which the others are compared with.'),
    ...idempotencyKey,
  }),
  output: experimentOutput,
  run: async ({ project_id, idempotency_key, ...body }, call) => {
    const path = `/projects/${project_id}/experiments`;
    const data = showExperiment(await create(call, path, body, idempotency_key));
    const { id } = data.experiment;
    return {
      text: `Drafted ${JSON.stringify(data.experiment.name)} with id ${id}. No visitor sees it yet.`,
      data,
    };
  },
});

const updateExperiment = defineTool({
  name: 'update_experiment',
  title: 'Change an experiment',
  description: `Changes the fields that are given and leaves the others. ${WAITS} Lists replace what is attached. Avoid changing what is measured or shown while an experiment runs: it mixes two experiments into one.`,
  effect: 'changes',
  input: z.strictObject({ ...experimentId, ...ifMatch, name: name.optional(), ...experimentFields }),
  output: experimentOutput,
  run: async ({ project_id, experiment_id, if_match, ...body }, call) => {
    const path = experimentPath({ project_id, experiment_id });
    const data = showExperiment(await change(call, path, body, if_match));
    return { text: `Changed ${JSON.stringify(data.experiment.name)}.`, data };
  },
});

const addVariation = defineTool({
  name: 'add_variation',
  title: 'Add a variation',
  description: `Adds a variation to an experiment. ${WAITS}`,
  effect: 'adds',
  input: z.strictObject({ ...experimentId, name, ...variationFields, ...idempotencyKey }),
  output: variationOutput,
  run: async ({ project_id, experiment_id, idempotency_key, ...body }, call) => {
    const path = `${experimentPath({ project_id, experiment_id })}/variations`;
    const data = showVariation(await create(call, path, body, idempotency_key));
    const { id } = data.variation;
    return { text: `Added the variation ${JSON.stringify(data.variation.name)} with id ${id}.`, data };
  },
});

const updateVariation = defineTool({
  name: 'update_variation',
  title: 'Change a variation',
  description: `Changes the fields that are given and leaves the others. ${WAITS} Read it by get_variation first.`,
  effect: 'changes',
  input: z.strictObject({ ...variationId, ...ifMatch, name: name.optional(), ...variationFields }),
  output: variationOutput,
  run: async ({ project_id, experiment_id, variation_id, if_match, ...body }, call) => {
    const path = variationPath({ project_id, experiment_id, variation_id });
    const data = showVariation(await change(call, path, body, if_match));
    return { text: `Changed the variation ${JSON.stringify(data.variation.name)}.`, data };
  },
});

export const editingTools: readonly Tool[] = [
  draftExperiment,
  updateExperiment,
  addVariation,
  updateVariation,
];
