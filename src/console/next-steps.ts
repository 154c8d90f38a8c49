import type { Permission } from '../access/roles';
import { ExperimentStatus, permissionForMove, Standing } from '../experiments/experiment-status';
import { nameInSentence } from '../presentation/text/names';
import type { ApiCall } from './curl';

/** A possible next step of an experiment. */
export interface NextStep {
  title: string;
  /** The reason or the consequence. */
  text: string;
  permission: Permission;
  call: ApiCall;
}

/** The data that determines the next steps. */
export interface StepContext extends Standing {
  projectId: number;
  experimentId: number;
  /** The missing parts that the experiment needs to start, by field. */
  missing: readonly { path: string; message: string }[];
  /** The last of its variations, if it has any. */
  lastVariationId: number | null;
  /** A page and a goal of the project to attach; null if it has none. */
  spare: Record<'page' | 'goal', { id: number; name: string } | null>;
  /** Whether it is running with unpublished edits. */
  hasUnpublishedEdits: boolean;
}

interface Move {
  to: ExperimentStatus;
  title: string;
  text: string;
}

const START: Move = {
  to: 'running',
  title: 'Start',
  text: 'The experiment is live immediately with its current definition. Participants are counted from now on.',
};
const RESTART: Move = {
  ...START,
  title: 'Restart',
  text: 'The experiment is live immediately with its current definition. Collected data is kept.',
};
const PREVIEW: Move = {
  to: 'preview',
  title: 'Preview',
  text: 'Preview links show the variations. Nothing is counted.',
};
const PAUSE: Move = {
  to: 'pause',
  title: 'Pause',
  text: 'Visitors see the original immediately. Collected data is kept.',
};
const RESUME: Move = { to: 'running', title: 'Resume', text: 'The experiment is live again immediately.' };
const ARCHIVE: Move = {
  to: 'archive',
  title: 'Archive',
  text: 'Results are kept. You can restore the experiment later.',
};
const RESTORE: Move = {
  to: 'pause',
  title: 'Restore',
  text: 'The experiment is paused. You can then resume it with the collected data.',
};
const REDRAFT: Move = { to: 'draft', title: 'Back to draft', text: 'You can then change the experiment.' };

/** The possible next steps of the experiment, the most likely one first. */
export function nextSteps(context: StepContext): NextStep[] {
  const { status, missing } = context;
  if (missing.length > 0 && status !== 'running' && status !== 'archive') {
    return missing.map(({ path, message }) => completion(context, path, message));
  }
  const moves = movesFrom(context).map((move) => step(context, move));
  return context.hasUnpublishedEdits ? [publication(context), ...moves] : moves;
}

function movesFrom({ status, started }: Standing): Move[] {
  switch (status) {
    case 'draft':
      return [START, PREVIEW];
    case 'preview':
      return started ? [RESTART, ARCHIVE] : [START, REDRAFT];
    case 'running':
      return [PAUSE];
    case 'pause':
      return [RESUME, ARCHIVE];
    case 'archive':
      return [started ? RESTORE : REDRAFT];
  }
}

const pathOf = ({ projectId, experimentId }: StepContext): string =>
  `/api/projects/${projectId}/experiments/${experimentId}`;

function step(context: StepContext, { to, title, text }: Move): NextStep {
  return {
    title,
    text,
    permission: permissionForMove(context.status, to),
    call: { method: 'PATCH', path: `${pathOf(context)}/status`, body: { status: to } },
  };
}

function publication(context: StepContext): NextStep {
  return {
    title: 'Publish the changes',
    text: 'The running experiment was edited. Visitors see the edits when the project is published.',
    permission: 'experiments:run',
    call: { method: 'PATCH', path: `${pathOf(context)}/publish` },
  };
}

/** The step that adds a missing part to the experiment. */
function completion(context: StepContext, field: string, message: string): NextStep {
  const make = (text: string, call: ApiCall): NextStep => ({
    title: message,
    text,
    permission: 'definitions:write',
    call,
  });
  if (field === 'variations') {
    return context.lastVariationId === null
      ? make('The first variation is the original. Other variations are compared with it.', {
          method: 'POST',
          path: `${pathOf(context)}/variations`,
          body: { name: 'Original' },
        })
      : make('Variations without a share divide the remaining traffic equally.', {
          method: 'PATCH',
          path: `${pathOf(context)}/variations/${context.lastVariationId}`,
          body: { traffic_allocation: null },
        });
  }
  return field === 'pages' ? pageCompletion(context, make) : goalCompletion(context, make);
}

type Make = (text: string, call: ApiCall) => NextStep;

function pageCompletion(context: StepContext, make: Make): NextStep {
  const { page } = context.spare;
  return page === null
    ? make(
        'The project has no pages yet. Create one and attach it in the next step. Without conditions it matches every page.',
        {
          method: 'POST',
          path: `/api/projects/${context.projectId}/pages`,
          body: { name: 'All pages' },
        },
      )
    : attachment(context, make, 'pages', page);
}

function goalCompletion(context: StepContext, make: Make): NextStep {
  const { goal } = context.spare;
  return goal === null
    ? make('The project has no goals yet. Create one and attach it in the next step.', {
        method: 'POST',
        path: `/api/projects/${context.projectId}/goals`,
        body: { name: 'Order placed' },
      })
    : attachment(context, make, 'goals', goal);
}

function attachment(
  context: StepContext,
  make: Make,
  field: 'pages' | 'goals',
  { id, name }: { id: number; name: string },
): NextStep {
  return make(`Attach one of the project’s ${field}, for example ${nameInSentence(name)}.`, {
    method: 'PATCH',
    path: pathOf(context),
    body: { [field]: [id] },
  });
}
