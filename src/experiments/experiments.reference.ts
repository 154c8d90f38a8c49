import { applyDecorators } from '@nestjs/common';
import { ApiQuery } from '@nestjs/swagger';
import { ListOperation, ShowOperation } from '../common/openapi/operations';
import { changeTexts, createText, readTexts } from '../common/openapi/resource-texts';
import { EXPERIMENT_FIELDS } from './experiment-fields';
import { STATUSES } from './experiment-status';
import { ExperimentRecord, LiteExperimentRecord, PartialExperimentRecord } from './experiment.record';

const EXPERIMENT = { id: 'Experiment', one: 'an experiment', many: 'the experiments of a project' };

const WHAT = `An experiment compares variations. \`audiences\` and \`traffic_allocation\` define who takes part, \`pages\` and
\`environments\` where it runs, and \`goals\` what is measured. Read its results with the operations under Results.`;

const CHANGE_STATUS = `Changes the status. Starting and pausing take effect without publishing: immediately on the server, and within two minutes in browsers. Starting publishes the current definition of the experiment.

| from | to |
|---|---|
| \`draft\` | \`preview\` and \`running\` if ready, \`archive\` |
| \`preview\` | \`draft\` if never started, \`running\` if ready, \`pause\` if started, \`archive\` |
| \`running\` | \`preview\` if ready, \`pause\`, \`archive\` |
| \`pause\` | \`preview\` and \`running\` if ready, \`archive\` |
| \`archive\` | \`draft\` if never started, \`pause\` if started and no events were removed |

An experiment is ready if it has at least one variation, one page and one goal, and its shares add up to 100 percent. A start also fails if the exclusion group is full, if \`planned_end\` is in the past, or if a name is still published for another record. An invalid change is rejected
with 422; the response lists everything that is missing and \`allowed_statuses\`. Sending the current status is accepted and
has no effect. Changes to \`running\`, \`pause\` or \`archive\`, and changes away from \`running\`, need \`experiments:run\` (publisher,
admin). All other changes need \`experiments:prepare\` (also editor).`;

/** Reference texts for the standard operations on experiments and for the additional ones. */
export const EXPERIMENT_TEXTS = {
  ...readTexts(EXPERIMENT, WHAT),
  create: createText(
    EXPERIMENT,
    `Creates a draft, which has no participants until you start it. You can create variations in the same request. Attach
existing audiences, pages and goals by their ids; the first goal is the primary goal. Without \`environments\` the experiment
gets the default environment. For a syntax error in JavaScript or CSS, the error message gives the line and column.`,
  ),
  ...changeTexts(EXPERIMENT, {
    update: `The lists \`audiences\`, \`pages\`, \`goals\`, \`guardrails\` and \`environments\` are each replaced as a whole. Status and variations have their own
operations. A running experiment stays unchanged on the site until the project is published; \`guardrails\` and \`guardrail_action\` apply at once. In an archived experiment, only \`hypothesis\`, \`decision\` and \`shared\` can be updated; other changes are rejected with 422. After the first start,
\`planned_participants\` and \`planned_end\` can only be removed, with null for both; other changes are rejected with 422 and
the \`code\` \`PLAN_FIXED\`.`,
    remove: `Moves the experiment to the trash. An administrator can restore it within 30 days. A running experiment stops immediately on the server, and within two minutes in browsers.
Deleting a running experiment needs \`experiments:run\` (publisher, admin). Deleting any other experiment needs \`definitions:write\` (also editor).`,
  }),
  clone: {
    id: 'cloneExperiment',
    summary: 'Clone an experiment',
    description: `Creates a draft with a copy of everything except results, share token, status, history, \`decision\`,
\`planned_end\` and schedule. Use it to test the next idea. The clone has new ids and assigns visitors independently. The default name is the
original's name followed by \`(Copy)\`, then \`(Copy 2)\`.`,
  },
  rotatePreviews: {
    id: 'rotateExperimentPreviews',
    summary: 'Rotate the preview links of an experiment',
    description: `Gives all variations a new \`preview_url\`. From then on, the old links return 404. Archiving and deleting
also revoke them permanently: a restored experiment has new links. Otherwise the links stay the same. An archived experiment
has no valid links, so the request is rejected with 422.`,
  },
  changeStatus: {
    id: 'changeExperimentStatus',
    summary: 'Change the status of an experiment',
    description: CHANGE_STATUS,
  },
};

/** The `fields` parameter for reading experiments. */
const ExperimentFieldsQuery = (): MethodDecorator =>
  ApiQuery({
    name: 'fields',
    required: false,
    description: `Return only these fields, comma-separated: ${EXPERIMENT_FIELDS.join(', ')}.`,
    schema: { type: 'string' },
    example: 'id,name,status',
  });

/** Reference for the experiment list. */
export const ExperimentListOperation = (): MethodDecorator =>
  applyDecorators(
    ListOperation(ExperimentRecord, {
      ...EXPERIMENT_TEXTS.list,
      others: [LiteExperimentRecord, PartialExperimentRecord],
    }),
    ExperimentFieldsQuery(),
    ApiQuery({
      name: 'variations',
      required: false,
      description:
        '`lite` returns only id, name, api_name, is_original and traffic_allocation of variations.',
      schema: { type: 'string', enum: ['lite'] },
    }),
    ApiQuery({
      name: 'status',
      required: false,
      description: `Return only experiments with one of these statuses, comma-separated: ${STATUSES.join(', ')}.`,
      schema: { type: 'string' },
      example: 'running,pause',
    }),
    ApiQuery({
      name: 'tags',
      required: false,
      description:
        'Return only experiments with at least one of these tags, comma-separated. For a tag that contains a comma, use `tags[]=red,green`.',
      schema: { type: 'string' },
      example: 'checkout',
    }),
  );

/** Reference for reading one experiment. */
export const ExperimentShowOperation = (): MethodDecorator =>
  applyDecorators(
    ShowOperation(ExperimentRecord, { ...EXPERIMENT_TEXTS.show, others: [PartialExperimentRecord] }, true),
    ExperimentFieldsQuery(),
  );
