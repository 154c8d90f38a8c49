import type { Permission } from '../access/roles';
import { ExperimentStatus, permissionForMove, Standing } from '../experiments/experiment-status';
import { nameInSentence } from '../presentation/text/names';
import type { ApiCall } from './curl';

/** Something that may be done with an experiment now. */
export interface NextStep {
  title: string;
  /** Why, or what follows. */
  text: string;
  permission: Permission;
  call: ApiCall;
}

/** What the next step depends on. */
export interface StepContext extends Standing {
  projectId: number;
  experimentId: number;
  /** What the experiment lacks for being started, by field. */
  missing: readonly { path: string; message: string }[];
  /** The last of its variations, if it has any. */
  lastVariationId: number | null;
  /** A page and a goal of the project that could be attached; null where it has none. */
  spare: Record<'page' | 'goal', { id: number; name: string } | null>;
  /** Is it running, and defined otherwise than it is live? */
  hasUnpublishedEdits: boolean;
}

interface Move {
  to: ExperimentStatus;
  title: string;
  text: string;
}

const START: Move = {
  to: 'running',
  title: 'Start it',
  text: 'It goes live at once, as it is defined now, and counts participants from then on.',
};
const START_AGAIN: Move = {
  ...START,
  title: 'Start it again',
  text: 'It goes live at once, as it is defined now, and goes on from what was counted before.',
};
const PREVIEW: Move = {
  to: 'preview',
  title: 'Or look at it first',
  text: 'In preview its variations can be seen by their preview links, and nothing is counted.',
};
const PAUSE: Move = { to: 'pause', title: 'Pause it', text: 'It goes off at once; what was counted stays.' };
const GO_ON: Move = { to: 'running', title: 'Let it go on', text: 'It goes live again at once.' };
const END: Move = { to: 'archive', title: 'Or end it', text: 'Its results stay; it can be restored later.' };
const RESTORE: Move = {
  to: 'pause',
  title: 'Restore it',
  text: 'It is paused then, and can go on with what was counted until now.',
};
const REDRAFT: Move = { to: 'draft', title: 'Make it a draft again', text: 'Then it can be changed.' };
const BACK: Move = { ...REDRAFT, title: 'Or make it a draft again' };

/** What can be done next with the experiment, the most likely first. */
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
      return started ? [START_AGAIN, END] : [START, BACK];
    case 'running':
      return [PAUSE];
    case 'pause':
      return [GO_ON, END];
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
    text: 'The experiment was changed while it runs. Visitors see it as it was until the project is published.',
    permission: 'experiments:run',
    call: { method: 'PATCH', path: `${pathOf(context)}/publish` },
  };
}

/** How the experiment gets something that it lacks. */
function completion(context: StepContext, field: string, message: string): NextStep {
  const make = (text: string, call: ApiCall): NextStep => ({
    title: message,
    text,
    permission: 'definitions:write',
    call,
  });
  if (field === 'variations') {
    return context.lastVariationId === null
      ? make('The first variation is the original, with which others are compared.', {
          method: 'POST',
          path: `${pathOf(context)}/variations`,
          body: { name: 'Original' },
        })
      : make('A variation without a share of its own gets what the others leave.', {
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
        'The project has no pages yet. Make one, and attach it in the step after this; without conditions it is every page.',
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
    ? make('The project has no goals yet. Make one, and attach it in the step after this.', {
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
  return make(`Attach one of the project’s ${field}, such as ${nameInSentence(name)}.`, {
    method: 'PATCH',
    path: pathOf(context),
    body: { [field]: [id] },
  });
}
