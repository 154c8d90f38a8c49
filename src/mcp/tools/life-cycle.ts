import type { ExperimentStatus } from '../../experiments/experiment-status';
import type { ApiAnswer } from '../api-port';
import type { Reference, Shape } from '../reference';
import { type RefusalBody, RefusedError } from '../refusals';
import { Api, defineTool, Told, Tool, ToolSpec } from '../tool';
import { ExperimentViews, OfExperiment } from './experiment-shapes';
import { PROJECT } from './places';

interface Move {
  name: string;
  title: string;
  description: string;
  to: ExperimentStatus;
}

const MOVES: readonly Move[] = [
  {
    name: 'preview_experiment',
    title: 'Preview an experiment',
    description:
      'Its variations can be viewed at their preview_url without being counted. A running experiment is taken off the site.',
    to: 'preview',
  },
  {
    name: 'start_experiment',
    title: 'Start an experiment',
    description:
      'Shows the experiment to visitors within two minutes and counts them. Use check_start first. Start only when the user says so.',
    to: 'running',
  },
  {
    name: 'pause_experiment',
    title: 'Pause an experiment',
    description:
      'Removes a running experiment from the site within two minutes; results are kept, and start_experiment resumes it. Only when the user says so, never because of early confidence.',
    to: 'pause',
  },
];

const mover = (views: ExperimentViews, { to, ...texts }: Move): ToolSpec => ({
  ...texts,
  effect: 'changes',
  operation: 'changeExperimentStatus',
  ifMatch: 'optional',
  args: { status: false },
  run: async (args, api) => {
    const data = views.status(await api.ask({ ...args, status: to }));
    return { text: `${JSON.stringify(data.experiment.name)} is now in status ${to}.`, data };
  },
});

const TARGETS = ['running', 'preview'] as const satisfies readonly ExperimentStatus[];
type Target = (typeof TARGETS)[number];

interface CheckStart extends OfExperiment {
  target?: Target;
}

interface Refusal {
  errors?: Record<string, string[]>;
  allowed_statuses?: string[];
}

const checker = (
  status: Shape<{ status: ExperimentStatus }>,
  refusals: Shape<Refusal>,
): ToolSpec<CheckStart> => ({
  name: 'check_start',
  title: 'Check a start',
  description:
    'Lists what is missing, and changes nothing. Needs write permission and, by default, a role that may start; editors: target preview.',
  effect: 'reads',
  operation: 'changeExperimentStatus',
  args: { status: false, target: { type: 'string', enum: TARGETS, default: 'running' } },
  run: async ({ target = 'running', ...args }, api) => {
    const answer = await api.attempt({ ...args, status: target, dry_run: '1' });
    if (answer.status === 200) {
      return (await statusOf(args, api, status)) === target
        ? already(target)
        : { text: 'Nothing is missing.', data: { possible: true, errors: {}, allowed_statuses: [] } };
    }
    if (answer.status !== 422) {
      throw new RefusedError(answer, target === 'running' ? adviceFor(answer) : undefined);
    }
    const { errors = {}, allowed_statuses = [] } = refusals.take(answer.body);
    const problems = Object.values(errors).flat();
    return { text: problems.join('\n'), data: { possible: false, errors, allowed_statuses } };
  },
});

/** Editors may not start experiments, but they may check a preview. */
const adviceFor = ({ status, body }: ApiAnswer): string | undefined =>
  status === 403 && (Object(body) as RefusalBody).role === 'editor'
    ? 'Editors can call check_start with target preview, unless the experiment is running: the conditions for a preview are the same as those for a start.'
    : undefined;

async function statusOf(
  args: OfExperiment,
  api: Api,
  shape: Shape<{ status: ExperimentStatus }>,
): Promise<ExperimentStatus> {
  const { body } = await api.ask({ ...args, fields: ['status'] }, 'showExperiment');
  return shape.take(body).status;
}

/** The result if the experiment already has the requested status. The API accepts such a request, but nothing changes. */
function already(status: ExperimentStatus): Told {
  const text = `The experiment already has the status ${status}.`;
  return { text, data: { possible: false, errors: { status: [text] }, allowed_statuses: [] } };
}

interface Project {
  name: string;
  snippet_revision: number;
}

const publisher = (projects: Shape<Project>): ToolSpec => ({
  name: 'publish_project',
  title: 'Publish edits',
  description:
    "Shows all edits in the project to visitors, including other people's. Pass any of its experiments. Publish only when the user says so.",
  effect: 'changes',
  operation: 'publishProject',
  run: async (args, api) => {
    const project = projects.take((await api.ask(args)).body);
    const { name, snippet_revision } = project;
    return {
      text: `${JSON.stringify(name)} is published at revision ${snippet_revision}.`,
      data: { project },
    };
  },
});

export function lifeCycleTools(reference: Reference): readonly Tool[] {
  const views = new ExperimentViews(reference);
  const status = reference.shape<{ status: ExperimentStatus }>('ExperimentRecord', { status: true });
  const refusals = reference.shape<Refusal>('ValidationErrorBody', { errors: true, allowed_statuses: true });
  return [
    defineTool(reference, checker(status, refusals)),
    ...MOVES.map((move) => defineTool(reference, mover(views, move))),
    defineTool(reference, publisher(reference.shape('ProjectRecord', PROJECT))),
  ];
}
