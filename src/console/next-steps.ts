import type { Permission } from '../platform/access/roles';
import type { ExperimentStatus, StatusState } from '../experiments/experiment-status';
import { nameInSentence } from '../presentation/text/words';
import { filledShares, sumOfShares } from '../experiments/variations/variation-shares';
import type { VariationRecord } from '../experiments/variations/variation.record';
import type { ApiCall } from './curl';
import { variationPagePath } from './experiment-subject';
import { moveTo } from './moves';
import { NO_RESULTS, type ResultState } from './result-state';

/** A possible next step of an experiment. */
export interface NextStep {
  /** The new status, `publish`, `clone` or `shares`; or a step that adds a part, such as `attach-pages`. */
  key: string;
  title: string;
  /** The reason for the step, or its consequence. */
  text: string;
  permission: Permission;
  call: ApiCall;
  /** The path of the step's form, if the user has to choose values. */
  page?: string;
}

/** The data that determines the next steps. */
export interface StepContext extends StatusState {
  projectId: number;
  experimentId: number;
  /** The missing parts without which the experiment cannot start, by field. */
  missing: readonly { path: string; message: string }[];
  /** In display order. */
  variations: readonly Pick<VariationRecord, 'id' | 'name' | 'traffic_allocation'>[];
  /**
   * A page and a goal in the project that can be attached; null if there is none. A guardrail cannot be attached as a
   * goal. The environment is set only if the experiment has none, although it could start without one.
   */
  spare: Record<'page' | 'goal' | 'environment', { id: number; name: string } | null>;
  hasGuardrails: boolean;
  /** Whether the experiment is running with unpublished edits. */
  hasUnpublishedEdits: boolean;
}

/** Whether the step adds a part to the definition. All other steps use different forms. */
export const isCompletion = ({ key }: NextStep): boolean => key.includes('-');

/** The recommended next steps of the experiment, most likely first. */
export function nextSteps(context: StepContext, results: ResultState = NO_RESULTS): NextStep[] {
  const { status, missing } = context;
  if (missing.length > 0 && status !== 'running' && status !== 'archive') {
    return [
      ...missing.map(({ path, message }) => completion(context, path, message)),
      ...comparisonSteps(context),
    ];
  }
  const isBroken = results.kind === 'mismatch' && status !== 'draft' && status !== 'preview';
  return [
    ...environmentSteps(context),
    ...comparisonSteps(context),
    ...(context.hasUnpublishedEdits ? [publication(context)] : []),
    ...(isBroken ? [cloning(context, 'Start it once you have fixed the cause.')] : []),
    ...(context.areEventsRemoved && !isBroken ? [cloning(context, REMOVED)] : []),
    ...likelyMoves(context, results).map((to) => step(context, to)),
  ];
}

const REMOVED = 'This experiment cannot be restored, because its events were removed.';

/** Kinds of results that more data would not change. */
const DECIDED: readonly ResultState['kind'][] = ['winner', 'loser', 'no difference', 'stopped'];

function likelyMoves(
  { status, started, areEventsRemoved }: StatusState,
  { kind }: ResultState,
): ExperimentStatus[] {
  switch (status) {
    case 'draft':
      return ['running', 'preview'];
    case 'preview':
      return ['running', started ? 'archive' : 'draft'];
    case 'running':
      return kind === 'mismatch' || kind === 'harmed' ? ['pause'] : DECIDED.includes(kind) ? ['archive'] : [];
    case 'pause':
      return kind === 'mismatch' || DECIDED.includes(kind)
        ? ['archive']
        : kind === 'harmed'
          ? ['archive', 'running']
          : ['running', 'archive'];
    case 'archive':
      return areEventsRemoved ? [] : [started ? 'pause' : 'draft'];
  }
}

const pathOf = ({ projectId, experimentId }: StepContext): string =>
  `/api/projects/${projectId}/experiments/${experimentId}`;

function step(context: StepContext, to: ExperimentStatus): NextStep {
  const { title, text, permission } = moveTo(context, to);
  return {
    key: to,
    title,
    text,
    permission,
    call: { method: 'PATCH', path: `${pathOf(context)}/status`, body: { status: to } },
  };
}

function publication(context: StepContext): NextStep {
  return {
    key: 'publish',
    title: 'Publish the changes',
    text: 'The running experiment was edited. Visitors will see the edits once the project is published.',
    permission: 'experiments:run',
    call: { method: 'PATCH', path: `${pathOf(context)}/publish` },
  };
}

function cloning(context: StepContext, reason: string): NextStep {
  return {
    key: 'clone',
    title: 'Clone',
    text: `The clone is a draft with the same definition but no results. ${reason}`,
    permission: 'definitions:write',
    call: { method: 'POST', path: `${pathOf(context)}/clone` },
  };
}

/** Returns a function that creates a step that adds a part to the experiment. */
const maker =
  (field: string, message: string): Make =>
  (action, text, call) => ({
    key: `${action}-${field}`,
    title: message,
    text,
    permission: 'definitions:write',
    call,
  });

/** An experiment can run without an environment, but then no visitor takes part. */
function environmentSteps(context: StepContext): NextStep[] {
  const { environment } = context.spare;
  const make = maker('environments', 'The experiment has no environment, so no visitors take part.');
  return environment === null || context.status === 'archive'
    ? []
    : [attachment(context, make, 'environments', environment)];
}

/** An experiment can start with a single variation that gets all participants, but then there is nothing to compare. */
function comparisonSteps(context: StepContext): NextStep[] {
  const { variations, started, status, missing } = context;
  const shares = variations.map((variation) => variation.traffic_allocation);
  const isCompared = filledShares(shares).filter((share) => share > 0).length > 1;
  if (variations.length === 0 || isCompared || started || status === 'archive') {
    return [];
  }
  const isAlone = variations.length === 1;
  const title = isAlone
    ? 'The experiment has only the original, so there is nothing to compare.'
    : 'One variation gets all participants, so there is nothing to compare.';
  // If the other shares sum to 100, a variation without a share gets no participants.
  if (isAlone && sumOfShares(shares) < 100) {
    return [
      maker('comparison', title)('create', 'Add a variation to compare with the original.', {
        method: 'POST',
        path: `${pathOf(context)}/variations`,
        body: { name: 'Variation' },
      }),
    ];
  }
  // If the shares are incomplete, a different step completes them first.
  return missing.some(({ path }) => path === 'variations') ? [] : [sharing(context, title)];
}

/**
 * The step that links to the share to change: the share of 100, otherwise the first share of 0. Any other complete
 * shares already allow a comparison.
 */
function sharing(context: StepContext, title: string): NextStep {
  const { projectId, experimentId, variations } = context;
  const whole = variations.find((variation) => variation.traffic_allocation === 100);
  const { id, name } = whole ?? variations.find((each) => each.traffic_allocation === 0) ?? variations[0];
  const named = nameInSentence(name);
  const addition = variations.length === 1 ? ' Then add a variation.' : '';
  return {
    key: 'shares',
    title,
    text:
      whole === undefined
        ? `The share of ${named} is 0. Raise it, or leave it empty for an equal share of the remaining traffic.`
        : `The share of ${named} is 100. Lower it, or leave it empty for an equal share of the remaining traffic.${addition}`,
    permission: 'definitions:write',
    call: {
      method: 'PATCH',
      path: `${pathOf(context)}/variations/${id}`,
      body: { traffic_allocation: null },
    },
    page: variationPagePath({ project: { id: projectId }, experiment: { id: experimentId } }, id),
  };
}

/** The step that adds a missing part to the experiment. */
function completion(context: StepContext, field: string, message: string): NextStep {
  const make = maker(field, message);
  if (field === 'variations') {
    const last = context.variations.at(-1);
    return last === undefined
      ? make('create', 'The first variation is the original. The other variations are compared with it.', {
          method: 'POST',
          path: `${pathOf(context)}/variations`,
          body: { name: 'Original' },
        })
      : make('fill', 'Variations without a share split the remaining traffic equally.', {
          method: 'PATCH',
          path: `${pathOf(context)}/variations/${last.id}`,
          body: { traffic_allocation: null },
        });
  }
  return field === 'pages' ? pageCompletion(context, make) : goalCompletion(context, make);
}

type Make = (action: 'create' | 'fill' | 'attach', text: string, call: ApiCall) => NextStep;

function pageCompletion(context: StepContext, make: Make): NextStep {
  const { page } = context.spare;
  return page === null
    ? make(
        'create',
        'The project has no pages yet. Create one, then attach it in the next step. A page without conditions matches every URL.',
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
    ? make(
        'create',
        `The project has no ${context.hasGuardrails ? 'other goal' : 'goals yet'}. Create one, then attach it in the next step.`,
        {
          method: 'POST',
          path: `/api/projects/${context.projectId}/goals`,
          body: { name: 'Order placed' },
        },
      )
    : attachment(context, make, 'goals', goal);
}

function attachment(
  context: StepContext,
  make: Make,
  field: 'pages' | 'goals' | 'environments',
  { id, name }: { id: number; name: string },
): NextStep {
  return make('attach', `Attach one of the project’s ${field}, for example ${nameInSentence(name)}.`, {
    method: 'PATCH',
    path: pathOf(context),
    body: { [field]: [id] },
  });
}
