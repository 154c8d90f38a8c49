import {
  allowedStatuses,
  ExperimentStatus,
  permissionForMove,
  STATUSES,
} from '../experiments/experiment-status';
import { nextSteps, StepContext } from './next-steps';
import type { ResultState } from './result-state';
import { adviceOn } from './step-advice';

/** Variations with the given shares, the original first. */
const withShares = (...shares: (number | null)[]): StepContext['variations'] =>
  shares.map((share, index) => ({ id: 5001 + index, name: 'ABC'[index], traffic_allocation: share }));

const READY: StepContext = {
  projectId: 3,
  experimentId: 1001,
  status: 'draft',
  started: false,
  missing: [],
  variations: withShares(null, null),
  spare: { page: null, goal: null, environment: null },
  hasGuardrails: false,
  hasUnpublishedEdits: false,
  areEventsRemoved: false,
};

const WINNER: ResultState = { kind: 'winner', name: 'B', losses: '', harmless: '' };
const COSTLY: ResultState = {
  kind: 'winner',
  name: 'B',
  losses: 'the guardrail Refunds',
  harmless: 'C is also better, without a known loss.',
};
const HARMED: ResultState = { kind: 'harmed', words: 'B is worse on the guardrail Refunds.' };
const SILENT: ResultState = { kind: 'silent', lastEventAt: Date.parse('2026-05-01T09:30:00Z') * 1000 };

const MISSING = ['variations', 'pages', 'goals'].map((path) => ({ path, message: `No ${path}.` }));
const states = STATUSES.flatMap((status) => [true, false].map((started) => ({ status, started }))).filter(
  ({ status, started }) => started || !['running', 'pause'].includes(status),
);

it.each(states)('offers only allowed status changes, with their permissions: %j', (state) => {
  const steps = [...nextSteps({ ...READY, ...state }), ...nextSteps({ ...READY, ...state }, WINNER)];
  expect(steps.length).toBeGreaterThan(0);
  for (const { call, permission } of steps) {
    const { status } = call.body as { status: ExperimentStatus };
    expect(call).toMatchObject({ method: 'PATCH', path: '/api/projects/3/experiments/1001/status' });
    expect(allowedStatuses({ ...READY, ...state }, true)).toContain(status);
    expect(permission).toBe(permissionForMove(state.status, status));
  }
});

it.each([
  ['draft', false, 'running'],
  ['preview', false, 'running'],
  ['pause', true, 'running'],
  ['archive', true, 'pause'],
  ['archive', false, 'draft'],
] as const)('in status %s (started: %s), suggests %s first', (status, started, expected) => {
  const [{ call }] = nextSteps({ ...READY, status, started });
  expect(call.body).toEqual({ status: expected });
});

it.each([
  ['draft', false, 'Start', 'from now on'],
  ['preview', false, 'Start', 'from now on'],
  ['preview', true, 'Restart', 'Collected data is kept'],
] as const)(
  'explains how a start from %s (started: %s) affects the counts',
  (status, started, title, words) => {
    expect(nextSteps({ ...READY, status, started })[0]).toMatchObject({
      title,
      text: expect.stringContaining(words),
    });
  },
);

it('suggests publishing changes to a running experiment first', () => {
  const steps = nextSteps({ ...READY, status: 'running', started: true, hasUnpublishedEdits: true });
  expect(steps.map(({ call, permission }) => [call.path, call.body, permission])).toEqual([
    ['/api/projects/3/experiments/1001/publish', undefined, 'experiments:run'],
  ]);
});

it.each(STATUSES)('suggests attaching an environment in status %s, before waiting for visitors', (status) => {
  const spare = { ...READY.spare, environment: { id: 4, name: 'Production' } };
  const steps = nextSteps({ ...READY, status, started: status !== 'draft', spare });
  const attached = steps.find(({ key }) => key === 'attach-environments');
  expect(attached?.call.body).toEqual(status === 'archive' ? undefined : { environments: [4] });
  for (const results of [{ kind: 'no data', isLate: true } as const, SILENT]) {
    expect(adviceOn({ status, results, isNowhere: true })).toBeNull();
  }
});

describe('a missing part', () => {
  const calls = (context: Partial<StepContext>) =>
    nextSteps({ ...READY, missing: MISSING, ...context }).map(({ call }) => [
      call.method,
      call.path,
      call.body,
    ]);

  it('is created if the project has none', () => {
    expect(calls({ variations: [] })).toEqual([
      ['POST', '/api/projects/3/experiments/1001/variations', { name: 'Original' }],
      ['POST', '/api/projects/3/pages', { name: 'All pages' }],
      ['POST', '/api/projects/3/goals', { name: 'Order placed' }],
    ]);
  });

  it('is attached if the project has one; incomplete shares are completed', () => {
    const spare = { ...READY.spare, page: { id: 7, name: 'Cart' }, goal: { id: 9, name: 'Paid' } };
    expect(calls({ spare })).toEqual([
      ['PATCH', '/api/projects/3/experiments/1001/variations/5002', { traffic_allocation: null }],
      ['PATCH', '/api/projects/3/experiments/1001', { pages: [7] }],
      ['PATCH', '/api/projects/3/experiments/1001', { goals: [9] }],
    ]);
  });

  it.each(['draft', 'preview', 'pause'] as const)('comes first in status %s', (status) => {
    const steps = nextSteps({ ...READY, status, started: status === 'pause', missing: MISSING });
    expect(steps.map(({ title, permission }) => [title, permission])).toEqual(
      MISSING.map(({ message }) => [message, 'definitions:write']),
    );
  });

  it('does not prevent ending a running experiment or restoring an ended one', () => {
    const first = (status: ExperimentStatus): unknown =>
      nextSteps({ ...READY, status, started: true, missing: MISSING }, WINNER)[0].call.body;
    expect([first('running'), first('archive')]).toEqual([{ status: 'archive' }, { status: 'pause' }]);
  });
});

it.each<[ExperimentStatus, ResultState, string | null, string[]]>([
  ['draft', { kind: 'no data', isLate: false }, null, ['Start', 'Preview']],
  ['running', { kind: 'no data', isLate: false }, 'Wait for the first participants', []],
  ['running', { kind: 'no data', isLate: true }, 'Check that the tag is installed', []],
  ['running', SILENT, 'Check that events arrive', []],
  ['running', { kind: 'undecided', daysLeft: 12 }, 'Keep the experiment running', []],
  ['running', { kind: 'undecided', daysLeft: null }, 'Keep the experiment running', []],
  ['running', WINNER, 'Stop the experiment and roll out B', ['Archive']],
  ['running', { kind: 'loser' }, 'End the experiment and keep the original', ['Archive']],
  ['running', { kind: 'no difference' }, 'End the experiment and keep the original', ['Archive']],
  [
    'running',
    { kind: 'stopped', harm: '' },
    'End the experiment and keep the original, or give the stopped variations traffic again',
    ['Archive'],
  ],
  [
    'running',
    { kind: 'stopped', harm: 'B is worse.' },
    'End the experiment and keep the original',
    ['Archive'],
  ],
  ['running', { kind: 'mismatch' }, 'Fix the cause, then clone the experiment', ['Clone', 'Pause']],
  ['running', COSTLY, 'Decide whether the gain is worth the loss', ['Archive']],
  ['archive', COSTLY, 'Decide whether the gain is worth the loss', ['Restore']],
  ['running', HARMED, 'Pause the experiment, or accept the loss', ['Pause']],
  ['pause', HARMED, 'Archive the experiment, or accept the loss and resume it', ['Archive', 'Resume']],
  ['archive', HARMED, 'Keep the original', ['Restore']],
  ['pause', { kind: 'no data', isLate: false }, null, ['Resume', 'Archive']],
  ['pause', { kind: 'undecided', daysLeft: 3 }, 'Resume or archive the experiment', ['Resume', 'Archive']],
  ['pause', WINNER, 'Stop the experiment and roll out B', ['Archive']],
  ['pause', { kind: 'mismatch' }, 'Fix the cause, then clone the experiment', ['Clone', 'Archive']],
  ['archive', WINNER, 'Roll out B', ['Restore']],
  ['archive', { kind: 'loser' }, 'Keep the original', ['Restore']],
  ['archive', { kind: 'undecided', daysLeft: null }, 'Decide without a result', ['Restore']],
])('in status %s with results %j, advises %s and offers %j', (status, results, advice, titles) => {
  const context = { ...READY, status, started: status !== 'draft' };
  const title = adviceOn({ status, results })?.title.replace(/[\u2068\u2069]/g, '') ?? null;
  expect([title, nextSteps(context, results).map((step) => step.title)]).toEqual([advice, titles]);
});

it.each([[WINNER], [{ kind: 'mismatch' }]] as [ResultState][])(
  'offers only to clone an archived experiment whose events were removed, with results %j',
  (results) => {
    const context: StepContext = { ...READY, status: 'archive', started: true, areEventsRemoved: true };
    expect(nextSteps(context, results).map(({ key }) => key)).toEqual(['clone']);
  },
);

it('does not advise against a recorded decision', () => {
  const results: ResultState = { kind: 'undecided', daysLeft: null };
  expect(adviceOn({ status: 'archive', results, isDecisionMade: true })).toBeNull();
  expect(adviceOn({ status: 'running', results, isDecisionMade: true })?.title).toBe(
    'Archive the experiment',
  );
});

it('asks about the conditions of pages if there are no participants, and adds what is known about them', () => {
  const text = (isLate: boolean): string | undefined =>
    adviceOn({ status: 'running', results: { kind: 'no data', isLate }, pageWarnings: ['Cart: never.'] })
      ?.text;
  expect(text(true)).toMatch(
    /do their URLs match the conditions of the experiment’s pages,.* Cart: never\.$/,
  );
  expect(text(false)).toMatch(/ Cart: never\.$/);
});

it('shows the remaining time, and the time of the last event', () => {
  const text = (results: ResultState): string | undefined => adviceOn({ status: 'running', results })?.text;
  expect(text({ kind: 'undecided', daysLeft: 12 })).toContain(
    'The experiment needs to run about 12 days longer.',
  );
  expect(text({ kind: 'undecided', daysLeft: 400 })).toContain(
    'The experiment needs to run more than a year longer.',
  );
  const until = 'B is ahead. Decide at the planned end, 30 June 2026';
  expect(text({ kind: 'undecided', daysLeft: 12, until })).toBe(`${until}.`);
  expect(text({ kind: 'undecided', daysLeft: null })).toContain('There is no forecast yet.');
  expect(text(SILENT)).toContain('1 May 2026, 09:30 UTC');
});

// A plan may end before its first look, so the text must not report a finding.
it.each(['running', 'archive'] as const)(
  'reports no finding after a plan without a verdict, in status %s',
  (status) => {
    const text = adviceOn({ status, results: { kind: 'no difference' } })?.text;
    expect(text).toBe('The plan is over without a verdict.');
  },
);

it.each(['running', 'pause', 'archive'] as const)(
  'names the guardrail that got worse, in status %s',
  (status) => {
    for (const results of [COSTLY, HARMED]) {
      expect(adviceOn({ status, results })?.text).toContain('worse on the guardrail Refunds');
    }
  },
);

it.each(['running', 'archive'] as const)(
  'names the winners without losses next to a winner with losses, in status %s',
  (status) => {
    const text = (results: ResultState) => adviceOn({ status, results })?.text.replace(/[\u2068\u2069]/g, '');
    expect(text(COSTLY)).toMatch(/only if you accept that\. C is also better, without a known loss\.$/);
    expect(text({ ...COSTLY, harmless: '' })).toMatch(/only if you accept that\.$/);
  },
);

it('suggests adding a variation to compare, until the first start', () => {
  const keys = (context: Partial<StepContext>) =>
    nextSteps({ ...READY, variations: withShares(null), ...context }).map(({ key }) => key);
  expect(keys({})).toEqual(['create-comparison', 'running', 'preview']);
  const unready = keys({ missing: MISSING.slice(1) });
  expect(unready).toEqual(['create-pages', 'create-goals', 'create-comparison']);
  for (const status of ['running', 'pause', 'archive'] as const) {
    expect(keys({ status, started: true })).not.toContain('create-comparison');
  }
});

it.each([[[null]], [[30]]])(
  'offers another variation to compare with the original, with shares %j',
  (shares) => {
    const variations = withShares(...shares);
    expect(nextSteps({ ...READY, variations })[0]).toMatchObject({
      key: 'create-comparison',
      call: { method: 'POST', body: { name: 'Variation' } },
    });
  },
);

it.each([
  [[100], 5001],
  [[100, 0], 5001],
  [[100, null], 5001],
  [[null, 0], 5002],
  [[0, null], 5001],
  [[0, 100, 0], 5002],
])('links to the share that leaves nothing to compare, with shares %j', (shares, id) => {
  const variations = withShares(...shares);
  const [step, ...others] = nextSteps({ ...READY, variations });
  expect(step).toMatchObject({
    key: 'shares',
    page: `/projects/3/experiments/1001/variations/${id}/edit`,
    call: { method: 'PATCH', path: `/api/projects/3/experiments/1001/variations/${id}` },
  });
  expect(step.call.body).toEqual({ traffic_allocation: null });
  expect(others.map(({ key }) => key)).toEqual(['running', 'preview']);
  expect(nextSteps({ ...READY, variations, status: 'running', started: true })).toEqual([]);
});

it.each([[[50, 50]], [[null, null]], [[90, null, 0]]])('suggests no change to the shares %j', (shares) => {
  const steps = nextSteps({ ...READY, variations: withShares(...shares) });
  expect(steps.map(({ key }) => key)).toEqual(['running', 'preview']);
});

it('suggests completing the shares before adding a comparison', () => {
  const missing = MISSING.slice(0, 1);
  const steps = nextSteps({ ...READY, missing, variations: withShares(50, 0) });
  expect(steps.map(({ key }) => key)).toEqual(['fill-variations']);
});
