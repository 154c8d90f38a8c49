import { z } from 'zod';
import { ExperimentStatus, STATUSES } from '../../experiments/experiment-status';
import type { CallApi } from '../api-port';
import { choice, experimentId, experimentPath, optionalIfMatch } from '../inputs';
import { RefusedError } from '../refusals';
import { change, defineTool, request, Told, Tool } from '../tool';
import { showStanding, standingOutput } from './experiment-shapes';
import { project } from './places';

interface Move {
  name: string;
  title: string;
  description: string;
  to: ExperimentStatus;
}

function mover({ name, title, description, to }: Move): Tool {
  return defineTool({
    name,
    title,
    description,
    effect: 'changes',
    input: z.strictObject({ ...experimentId, ...optionalIfMatch }),
    output: standingOutput,
    run: async ({ if_match, ...args }, call) => {
      const path = `${experimentPath(args)}/status`;
      const data = showStanding(await change(call, path, { status: to }, if_match));
      return { text: `${JSON.stringify(data.experiment.name)} is now in status ${to}.`, data };
    },
  });
}

const checked = z.object({
  possible: z.boolean(),
  errors: z
    .record(z.string(), z.array(z.string()))
    .describe('What is missing or wrong, by field; empty when it is possible.'),
  allowed_statuses: z
    .array(z.string())
    .describe('Where the experiment may move as it is, when that is refused; otherwise empty.'),
});

const refusal = checked.omit({ possible: true }).partial();

/** The API takes a move to where the experiment already is, which starts nothing. */
function already(status: ExperimentStatus): Told<z.output<typeof checked>> {
  const text = `The experiment is in status ${status} already.`;
  return { text, data: { possible: false, errors: { status: [text] }, allowed_statuses: [] } };
}

async function statusOf(
  args: Parameters<typeof experimentPath>[0],
  call: CallApi,
): Promise<ExperimentStatus> {
  const query = { fields: ['status'] };
  const { body } = await request(call, { method: 'GET', path: experimentPath(args), query });
  return z.object({ status: z.enum(STATUSES) }).parse(body).status;
}

const checkStart = defineTool({
  name: 'check_start',
  title: 'Check whether an experiment can be started',
  description:
    'Goes through everything that starting would check and says all that is missing at once, without changing anything. It needs a token with write permission and the role that starting needs; whoever may edit but not start can check with target preview, which has the same conditions.',
  effect: 'reads',
  input: z.strictObject({
    ...experimentId,
    target: choice<'running' | 'preview'>({
      running: 'can it be started?',
      preview: 'can it be previewed?',
    }).default('running'),
  }),
  output: checked,
  run: async ({ target, ...args }, call) => {
    const path = `${experimentPath(args)}/status`;
    const answer = await call({ method: 'PATCH', path, query: { dry_run: 1 }, body: { status: target } });
    if (answer.status === 200) {
      return (await statusOf(args, call)) === target
        ? already(target)
        : { text: 'Nothing is missing.', data: { possible: true, errors: {}, allowed_statuses: [] } };
    }
    if (answer.status !== 422) {
      throw new RefusedError(answer);
    }
    const { errors = {}, allowed_statuses = [] } = refusal.parse(answer.body);
    const problems = Object.values(errors).flat();
    return { text: problems.join('\n'), data: { possible: false, errors, allowed_statuses } };
  },
});

const movers = [
  mover({
    name: 'preview_experiment',
    title: 'Preview an experiment',
    description:
      'Moves an experiment to status preview, where its variations can be tried by their preview_url and nobody is counted. A running experiment that is moved here is taken off the site.',
    to: 'preview',
  }),
  mover({
    name: 'start_experiment',
    title: 'Start an experiment',
    description:
      'Shows the experiment to visitors of the site at once and begins, or goes on, counting them. Use check_start first, and start only when the person you work for has said so.',
    to: 'running',
  }),
  mover({
    name: 'pause_experiment',
    title: 'Pause an experiment',
    description:
      'Takes a running experiment off the site at once; all visitors see the original again. Its results stay, and start_experiment goes on with them. Do it only when the person you work for has said so. A reason may be a decision by get_results, or damage to the site, never an early confidence or chance to beat the original.',
    to: 'pause',
  }),
];

const publishProject = defineTool({
  name: 'publish_project',
  title: 'Publish the edits of a project',
  description:
    'Makes all edits of the whole project visible to visitors at once, also those that other people have made to other experiments. Starting and pausing need no publication. Do it only when the person you work for has said so.',
  effect: 'changes',
  input: z.strictObject({
    project_id: experimentId.project_id,
    experiment_id: experimentId.experiment_id.describe(
      'Id of an experiment of the project, such as the one whose edits are to be seen.',
    ),
  }),
  output: z.object({ project }),
  run: async (args, call) => {
    const { body } = await request(call, { method: 'PATCH', path: `${experimentPath(args)}/publish` });
    const data = { project: project.parse(body) };
    const { name, snippet_revision } = data.project;
    return { text: `${JSON.stringify(name)} is published at revision ${snippet_revision}.`, data };
  },
});

export const lifeCycleTools: readonly Tool[] = [checkStart, ...movers, publishProject];
