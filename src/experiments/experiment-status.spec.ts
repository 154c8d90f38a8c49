import {
  allowedStatuses,
  ExperimentStatus,
  isMoveAllowed,
  needsReadiness,
  permissionForMove,
  STATUSES,
} from './experiment-status';

type Needs = '-' | 'no' | 'yes' | 'ready' | 'started' | 'never started';

/** Rows are current statuses; columns are new statuses. */
// prettier-ignore
const TABLE: Record<ExperimentStatus, Needs[]> = {
  //         draft            preview  running  pause      archive
  draft:   ['-',             'ready', 'ready', 'no',      'yes'],
  preview: ['never started', '-',     'ready', 'started', 'yes'],
  running: ['no',            'ready', '-',     'yes',     'yes'],
  pause:   ['no',            'ready', 'ready', '-',       'yes'],
  archive: ['never started', 'no',    'no',    'started', '-'],
};

const MOVES = STATUSES.flatMap((from) =>
  STATUSES.map((to, index): [ExperimentStatus, ExperimentStatus, Needs] => [from, to, TABLE[from][index]]),
);

const KEPT = { areEventsRemoved: false };

const isAllowed = (needs: Needs, started: boolean): boolean =>
  needs === 'started' ? started : needs === 'never started' ? !started : needs !== 'no';

describe('status transitions', () => {
  it('connect five statuses', () => {
    expect(STATUSES).toEqual(['draft', 'preview', 'running', 'pause', 'archive']);
  });

  it.each(MOVES)('%s -> %s: %s', (from, to, needs) => {
    expect(isMoveAllowed({ ...KEPT, status: from, started: false }, to)).toBe(isAllowed(needs, false));
    expect(isMoveAllowed({ ...KEPT, status: from, started: true }, to)).toBe(isAllowed(needs, true));
    expect(needsReadiness(from, to)).toBe(needs === 'ready');
  });
});

describe('allowedStatuses', () => {
  it.each([
    ['draft', false, true, ['preview', 'running', 'archive']],
    ['draft', false, false, ['archive']],
    ['preview', false, true, ['draft', 'running', 'archive']],
    ['preview', true, true, ['running', 'pause', 'archive']],
    ['preview', true, false, ['pause', 'archive']],
    ['running', true, true, ['preview', 'pause', 'archive']],
    ['running', true, false, ['pause', 'archive']],
    ['pause', true, true, ['preview', 'running', 'archive']],
    ['pause', true, false, ['archive']],
    ['archive', false, false, ['draft']],
    ['archive', true, true, ['pause']],
  ] as const)('%s, started %s, ready %s: %j', (status, started, isReady, expected) => {
    expect(allowedStatuses({ ...KEPT, status, started }, isReady)).toEqual(expected);
  });
});

describe('permissionForMove', () => {
  const prepared = [
    'draft draft',
    'draft preview',
    'preview draft',
    'preview preview',
    'running running',
    'pause pause',
    'pause draft',
    'pause preview',
    'archive archive',
    'archive draft',
    'archive preview',
  ];

  it.each(MOVES)('%s -> %s', (from, to) => {
    const expected = prepared.includes(`${from} ${to}`) ? 'experiments:prepare' : 'experiments:run';
    expect(permissionForMove(from, to)).toBe(expected);
  });

  it.each([undefined, null, 'started', 1, {}])(
    'leaves a change to %j, which is not a status, to the validation',
    (to) => {
      expect(STATUSES.map((from) => permissionForMove(from, to))).toEqual(
        STATUSES.map(() => 'experiments:prepare'),
      );
    },
  );
});
