import type { Answer } from '../support/client';
import { errorsOf, Made, useScene } from '../support/scene';

const scene = useScene();

const STATUSES = ['draft', 'preview', 'running', 'pause', 'archive'] as const;

type Status = (typeof STATUSES)[number];

/** Whether a status change is allowed: always, only if the experiment is ready, or never. `=` is the same status. */
type Outcome = '=' | 'yes' | 'ready' | 'no';

type Line = [from: Status, started: boolean, ...to: Outcome[]];

// prettier-ignore
const TABLE: readonly Line[] = [
  //                   draft  preview  running  pause  archive
  ['draft',   false,   '=',   'ready', 'ready', 'no',  'yes'],
  ['draft',   true,    '=',   'ready', 'ready', 'no',  'yes'],
  ['preview', false,   'yes', '=',     'ready', 'no',  'yes'],
  ['preview', true,    'no',  '=',     'ready', 'yes', 'yes'],
  ['running', false,   'no',  'ready', '=',     'yes', 'yes'],
  ['running', true,    'no',  'ready', '=',     'yes', 'yes'],
  ['pause',   false,   'no',  'ready', 'ready', '=',   'yes'],
  ['pause',   true,    'no',  'ready', 'ready', '=',   'yes'],
  ['archive', false,   'yes', 'no',    'no',    'no',  '='],
  ['archive', true,    'no',  'no',    'no',    'yes', '='],
];

interface Cell {
  from: Status;
  started: boolean;
  to: Status;
  outcome: Outcome;
  /** The allowed next statuses, for an experiment that is ready and for one that is not. */
  allowed: Record<'ready' | 'unready', Status[]>;
}

const CELLS: Cell[] = TABLE.flatMap(([from, started, ...outcomes]) => {
  const to = (...wanted: Outcome[]): Status[] =>
    STATUSES.filter((_, index) => wanted.includes(outcomes[index]));
  const allowed = { ready: to('yes', 'ready'), unready: to('yes') };
  return STATUSES.map((status, index) => ({ from, started, to: status, outcome: outcomes[index], allowed }));
});

const named = (cells: Cell[]): [string, Cell][] =>
  cells.map((cell) => [`${cell.from} ${cell.started ? 'started' : 'never started'} -> ${cell.to}`, cell]);

/** Sets a state directly, because status changes never lead to some states, such as a draft that was started. */
async function put({ id }: Made, { from, started }: Pick<Cell, 'from' | 'started'>): Promise<void> {
  const { writer } = scene.api.database;
  await writer.query(
    'UPDATE experiments SET status = ?, started_at = ?, version = version + 1 WHERE id = ?',
    [from, started ? 1_700_000_000_000_000 : null, id],
  );
  await writer.query("UPDATE collection_versions SET version = version + 1 WHERE collection = 'experiments'");
}

const moveTo = ({ path }: Made, status: unknown): Promise<Answer<Made>> =>
  scene.client.patch(`${path}/status`, { status });

const NEVER_READY = {
  variations: ['The experiment needs at least one variation.'],
  pages: ['The experiment needs at least one page.'],
  goals: ['The experiment needs at least one goal.'],
};

describe('the table of status changes', () => {
  it('has all 25 pairs of statuses, for started and for never started experiments', () => {
    expect(new Set(CELLS.map(({ from, started, to }) => `${from} ${started} ${to}`)).size).toBe(50);
  });

  it.each(named(CELLS))('with all requirements met: %s', async (_, cell) => {
    const experiment = await scene.make.ready();
    await put(experiment, cell);
    const before = (await scene.client.get(experiment.path)).body;
    const answer = await moveTo(experiment, cell.to);
    const after = (await scene.client.get(experiment.path)).body;
    if (cell.outcome === 'no') {
      expect(Object.keys(errorsOf(answer))).toEqual(['status']);
      expect(answer.body).toHaveProperty('allowed_statuses', cell.allowed.ready);
      expect(after).toEqual(before);
    } else {
      expect([answer.status, answer.body.status]).toEqual([200, cell.to]);
      expect(after).toEqual(answer.body);
      expect(cell.outcome === '=' ? after : {}).toEqual(cell.outcome === '=' ? before : {});
    }
  });

  it.each(named(CELLS))('with all requirements missing: %s', async (_, cell) => {
    const experiment = await scene.make.experiment();
    await put(experiment, cell);
    const answer = await moveTo(experiment, cell.to);
    if (cell.outcome === 'ready') {
      expect(errorsOf(answer)).toEqual(NEVER_READY);
    }
    if (cell.outcome === 'no') {
      expect(Object.keys(errorsOf(answer))).toEqual(['status']);
    }
    const isRefused = ['ready', 'no'].includes(cell.outcome);
    expect(isRefused ? answer.body : { allowed_statuses: [] }).toHaveProperty(
      'allowed_statuses',
      isRefused ? cell.allowed.unready : [],
    );
    const now = (await scene.client.get(experiment.path)).body.status as Status;
    expect([answer.status, now]).toEqual(isRefused ? [422, cell.from] : [200, cell.to]);
  });
});

it('names the same statuses in the message of a rejected change and in `allowed_statuses`', async () => {
  const answer = await moveTo(await scene.make.experiment(), 'pause');
  expect(errorsOf(answer).status).toEqual([
    'The status of an experiment that was never started and is not ready cannot change from draft to pause, only to archive.',
  ]);
  expect(answer.body).toHaveProperty('allowed_statuses', ['archive']);
});

describe('the requirements of a ready experiment', () => {
  const halves = [{ name: 'A', traffic_allocation: 50 }, { name: 'B' }];
  const cases: [what: string, fields: object, missing: string[]][] = [
    ['everything', {}, []],
    ['no variation', { variations: [] }, ['variations']],
    ['no page', { pages: [] }, ['pages']],
    ['no goal', { goals: [] }, ['goals']],
    ['no page and no goal', { pages: [], goals: [] }, ['pages', 'goals']],
    ['no environment and no audience', { environments: [], audiences: [] }, []],
    ['one variation', { variations: [{ name: 'Only' }] }, []],
    ['one variation with a share of 100', { variations: [{ name: 'Only', traffic_allocation: 100 }] }, []],
    [
      'one variation with a smaller share',
      { variations: [{ name: 'Only', traffic_allocation: 99.99 }] },
      ['variations'],
    ],
    ['a share that is not set', { variations: halves }, []],
    [
      'a share that is not set, with 100 in the other',
      { variations: [{ name: 'A', traffic_allocation: 100 }, { name: 'B' }] },
      [],
    ],
    [
      'shares of a third that add up to 100',
      { variations: [33.33, 33.33, 33.34].map((share) => ({ name: 'V', traffic_allocation: share })) },
      [],
    ],
    [
      'shares of a third that add up to 99.99',
      { variations: [33.33, 33.33, 33.33].map((share) => ({ name: 'V', traffic_allocation: share })) },
      ['variations'],
    ],
    [
      'ten shares of a tenth',
      { variations: Array.from({ length: 10 }, () => ({ name: 'V', traffic_allocation: 10 })) },
      [],
    ],
    [
      'too small a sum of shares, and no goal',
      {
        variations: [
          { name: 'A', traffic_allocation: 0 },
          { name: 'B', traffic_allocation: 50 },
        ],
        goals: [],
      },
      ['variations', 'goals'],
    ],
  ];

  it.each(cases)('with %s', async (_, fields, missing) => {
    for (const status of ['preview', 'running'] as const) {
      const experiment = await scene.make.ready(fields);
      const answer = await moveTo(experiment, status);
      if (missing.length === 0) {
        expect([answer.status, answer.body.status]).toEqual([200, status]);
      } else {
        expect(Object.keys(errorsOf(answer)).sort()).toEqual([...missing].sort());
        expect(answer.body).toHaveProperty('allowed_statuses', ['archive']);
      }
    }
  });
});

describe('the body', () => {
  it.each([
    [{}, ['status']],
    [{ status: null }, ['status']],
    [{ status: 'started' }, ['status']],
    [{ status: 'Running' }, ['status']],
    [{ status: ['running'] }, ['status']],
    [{ status: 1 }, ['status']],
    [{ state: 'running' }, ['state', 'status']],
    [{ status: 'running', force: true }, ['force']],
    [{ status: 'pause', force: true }, ['force', 'status']],
  ])('%j is rejected', async (body, fields) => {
    const experiment = await scene.make.ready();
    const answer = await scene.client.patch(`${experiment.path}/status`, body);
    expect(Object.keys(errorsOf(answer)).sort()).toEqual(fields);
    expect((await scene.client.get(experiment.path)).body).toMatchObject({ status: 'draft' });
  });

  it('is validated for an editor too, who could not change the status of a running experiment', async () => {
    const experiment = await scene.make.withStatus('running');
    const { client } = scene.world.people.editor;
    const answer = await client.patch(`${experiment.path}/status`, { status: 'stopped' });
    expect(Object.keys(errorsOf(answer))).toEqual(['status']);
  });

  it('lists every missing part together with all other errors', async () => {
    const experiment = await scene.make.experiment();
    const answer = await scene.client.patch(`${experiment.path}/status`, { status: 'running', nam: 'x' });
    expect(errorsOf(answer)).toMatchObject({ ...NEVER_READY, nam: [expect.any(String)] });
  });
});
