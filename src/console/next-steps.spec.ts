import {
  allowedStatuses,
  ExperimentStatus,
  permissionForMove,
  STATUSES,
} from '../experiments/experiment-status';
import { nextSteps, StepContext } from './next-steps';

const READY: StepContext = {
  projectId: 3,
  experimentId: 1001,
  status: 'draft',
  started: false,
  missing: [],
  lastVariationId: 5002,
  spare: { page: null, goal: null },
  hasUnpublishedEdits: false,
};

const MISSING = ['variations', 'pages', 'goals'].map((path) => ({ path, message: `No ${path}.` }));
const standings = STATUSES.flatMap((status) => [true, false].map((started) => ({ status, started }))).filter(
  ({ status, started }) => started || !['running', 'pause'].includes(status),
);

it.each(standings)('offers moves that are allowed, with their permission: %j', (standing) => {
  const steps = nextSteps({ ...READY, ...standing });
  expect(steps.length).toBeGreaterThan(0);
  for (const { call, permission } of steps) {
    const { status } = call.body as { status: ExperimentStatus };
    expect(call).toMatchObject({ method: 'PATCH', path: '/api/projects/3/experiments/1001/status' });
    expect(allowedStatuses(standing, true)).toContain(status);
    expect(permission).toBe(permissionForMove(standing.status, status));
  }
});

it.each([
  ['draft', false, 'running'],
  ['preview', false, 'running'],
  ['running', true, 'pause'],
  ['pause', true, 'running'],
  ['archive', true, 'pause'],
  ['archive', false, 'draft'],
] as const)('goes on from %s, started %s, with %s first', (status, started, expected) => {
  const [{ call }] = nextSteps({ ...READY, status, started });
  expect(call.body).toEqual({ status: expected });
});

it.each([
  ['draft', false, 'Start', 'from now on'],
  ['preview', false, 'Start', 'from now on'],
  ['preview', true, 'Restart', 'Collected data is kept'],
] as const)('says what starting from %s, started %s, does to the counts', (status, started, title, words) => {
  expect(nextSteps({ ...READY, status, started })[0]).toMatchObject({
    title,
    text: expect.stringContaining(words),
  });
});

it('publishes first what was changed while it runs', () => {
  const steps = nextSteps({ ...READY, status: 'running', started: true, hasUnpublishedEdits: true });
  expect(steps.map(({ call, permission }) => [call.path, call.body, permission])).toEqual([
    ['/api/projects/3/experiments/1001/publish', undefined, 'experiments:run'],
    ['/api/projects/3/experiments/1001/status', { status: 'pause' }, 'experiments:run'],
  ]);
});

describe('what is missing', () => {
  const calls = (context: Partial<StepContext>) =>
    nextSteps({ ...READY, missing: MISSING, ...context }).map(({ call }) => [
      call.method,
      call.path,
      call.body,
    ]);

  it('is made where the project has nothing of the kind', () => {
    expect(calls({ lastVariationId: null })).toEqual([
      ['POST', '/api/projects/3/experiments/1001/variations', { name: 'Original' }],
      ['POST', '/api/projects/3/pages', { name: 'All pages' }],
      ['POST', '/api/projects/3/goals', { name: 'Order placed' }],
    ]);
  });

  it('is attached where the project has it, and shares are completed', () => {
    const spare = { page: { id: 7, name: 'Cart' }, goal: { id: 9, name: 'Paid' } };
    expect(calls({ spare })).toEqual([
      ['PATCH', '/api/projects/3/experiments/1001/variations/5002', { traffic_allocation: null }],
      ['PATCH', '/api/projects/3/experiments/1001', { pages: [7] }],
      ['PATCH', '/api/projects/3/experiments/1001', { goals: [9] }],
    ]);
  });

  it.each(['draft', 'preview', 'pause'] as const)('comes before anything else from %s', (status) => {
    const steps = nextSteps({ ...READY, status, started: status === 'pause', missing: MISSING });
    expect(steps.map(({ title, permission }) => [title, permission])).toEqual(
      MISSING.map(({ message }) => [message, 'definitions:write']),
    );
  });

  it('does not keep from pausing what runs, or from restoring what has ended', () => {
    const first = (status: ExperimentStatus): unknown =>
      nextSteps({ ...READY, status, started: true, missing: MISSING })[0].call.body;
    expect([first('running'), first('archive')]).toEqual([{ status: 'pause' }, { status: 'pause' }]);
  });
});
