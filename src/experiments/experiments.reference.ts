import { applyDecorators } from '@nestjs/common';
import { ApiQuery } from '@nestjs/swagger';
import { ListOperation, ShowOperation } from '../common/openapi/operations';
import { changeTexts, createText, readTexts } from '../common/openapi/resource-texts';
import { EXPERIMENT_FIELDS } from './experiment-fields';
import { STATUSES } from './experiment-status';
import { ExperimentRecord, LiteExperimentRecord, PartialExperimentRecord } from './experiment.record';

const EXPERIMENT = { id: 'Experiment', one: 'an experiment', many: 'the experiments of a project' };

const WHAT = `An experiment compares variations: who takes part (\`audiences\`, \`traffic_allocation\`), where (\`pages\`,
\`environments\`), and what is measured (\`goals\`). \`status\` tells where it stands. Its results have addresses of their own.`;

const CHANGE_STATUS = `Moves an experiment through its life. Starting and pausing go live at once, and starting publishes it as it is now.

| from | to |
|---|---|
| \`draft\` | \`preview\` and \`running\` if ready, \`archive\` |
| \`preview\` | \`draft\` if never started, \`running\` if ready, \`pause\` if started, \`archive\` |
| \`running\` | \`preview\` if ready, \`pause\`, \`archive\` |
| \`pause\` | \`preview\` and \`running\` if ready, \`archive\` |
| \`archive\` | \`draft\` if never started, \`pause\` if started |

Ready: at least one variation, one page and one goal, and shares that make 100 percent. A refused move is 422 with everything
that is missing and \`allowed_statuses\`. The status it has already is accepted and changes nothing. Moves to \`running\`,
\`pause\` or \`archive\`, and away from \`running\`, need \`experiments:run\` (publisher, admin); the others
\`experiments:prepare\` (also editor).`;

/** What the reference says about the usual operations on experiments, and about their own. */
export const EXPERIMENT_TEXTS = {
  ...readTexts(EXPERIMENT, WHAT),
  create: createText(
    EXPERIMENT,
    `Makes a draft, which nobody takes part in before it is started. Variations can be made with it in the same request;
audiences, pages and goals exist before and are attached by their ids, the first goal as the primary one. Without
\`environments\` it gets the default one. JavaScript and CSS that do not parse are refused with line and column.`,
  ),
  ...changeTexts(EXPERIMENT, {
    update: `\`audiences\`, \`pages\`, \`goals\` and \`environments\` are replaced as whole lists. The status has an operation of its own,
and so do variations. What is running goes on unchanged until the project is published; an archived experiment cannot be
updated (422).`,
    remove: `It goes to the trash, from which an administrator can restore it for 30 days. A running one stops at once, and needs
\`experiments:run\` (publisher, admin); others \`definitions:write\` (also editor).`,
  }),
  clone: {
    id: 'cloneExperiment',
    summary: 'Clone an experiment',
    description: `Makes a draft with everything copied except results, share token, status and history, to go on with what was
learnt. Ids and the assignment of visitors are new. Without a name it is called as the original with \`(Copy)\`, then
\`(Copy 2)\`.`,
  },
  changeStatus: {
    id: 'changeExperimentStatus',
    summary: 'Change the status of an experiment',
    description: CHANGE_STATUS,
  },
};

/** The parameter `fields` of reads of experiments. */
const ExperimentFieldsQuery = (): MethodDecorator =>
  ApiQuery({
    name: 'fields',
    required: false,
    description: `Return only these fields: comma-separated, of ${EXPERIMENT_FIELDS.join(', ')}.`,
    schema: { type: 'string' },
    example: 'id,name,status',
  });

/** What the reference says about the list of experiments. */
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
      description: 'Show only id, name, api_name, is_original and traffic_allocation of variations.',
      schema: { type: 'string', enum: ['lite'] },
    }),
    ApiQuery({
      name: 'status',
      required: false,
      description: `Only experiments with one of these: comma-separated, of ${STATUSES.join(', ')}.`,
      schema: { type: 'string' },
      example: 'running,pause',
    }),
    ApiQuery({
      name: 'tags',
      required: false,
      description: 'Only experiments that have any of these: comma-separated.',
      schema: { type: 'string' },
      example: 'checkout',
    }),
  );

/** What the reference says about showing one experiment. */
export const ExperimentShowOperation = (): MethodDecorator =>
  applyDecorators(
    ShowOperation(ExperimentRecord, { ...EXPERIMENT_TEXTS.show, others: [PartialExperimentRecord] }, true),
    ExperimentFieldsQuery(),
  );
