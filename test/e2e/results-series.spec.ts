import { parse } from 'csv-parse/sync';
import { formatDay } from '../../src/common/time/clock';
import { Cells, ranFrom, today } from '../support/cells';
import { Made, useScene } from '../support/scene';

/* The daily series, as JSON and as CSV. */

const scene = useScene();

const COLUMNS = [
  'date',
  'variation_id',
  'variation_name',
  'participants',
  'conversions',
  'total_conversions',
  'value',
  'cumulative_participants',
  'cumulative_conversions',
  'cumulative_total_conversions',
  'cumulative_value',
];

type Row = Record<string, string | number>;

const cellsOf = (experiment: Made): Cells => new Cells(scene.api, experiment.id);
const seriesOf = (experiment: Made): string =>
  `${experiment.path}/results/goal/${experiment.goals[0].id as number}`;

async function rowsOf(experiment: Made, query = ''): Promise<Row[]> {
  const { status, body } = await scene.client.get(`${seriesOf(experiment)}${query}`);
  expect(status).toBe(200);
  return body as Row[];
}

const datesOf = (rows: readonly Row[]): (string | number)[] => [...new Set(rows.map(({ date }) => date))];

async function withRevenue(names: string[] = ['A', 'B']): Promise<Made> {
  const goal = await scene.make.goal({ value_type: 'revenue' });
  return scene.make.ready({ goals: [goal.id], variations: names.map((name) => ({ name })) });
}

/** Stores participants on two days, and payments on two days. */
async function withHistory(names?: string[]): Promise<Made> {
  const experiment = await withRevenue(names);
  const [a, b] = experiment.variations.map(({ id }: Made) => id);
  const goal = experiment.goals[0].id as number;
  await cellsOf(experiment)
    .entered({ variation: a, day: '2026-05-01' }, 10)
    .entered({ variation: a, day: '2026-05-03', device: 'mobile' }, 5)
    .entered({ variation: b, day: '2026-05-01' }, 7)
    .converted(
      goal,
      { variation: a, day: '2026-05-01' },
      { converters: 2, conversions: 3, value: 150_000n, valueSquared: 12_500_000_000n },
    )
    .converted(
      goal,
      { variation: a, day: '2026-05-04', entered: '2026-05-01' },
      { converters: 1, conversions: 1, value: -25_000n, valueSquared: 625_000_000n },
    )
    .converted(
      goal,
      { variation: b, day: '2026-05-04', entered: '2026-05-01' },
      { converters: 1, conversions: 2, value: 1n, valueSquared: 1n },
    )
    .store();
  return experiment;
}

describe('the series', () => {
  it('has a row for each day and variation, even without events', async () => {
    const experiment = await withHistory();
    const [a, b] = experiment.variations as Made[];
    const cells = (await rowsOf(experiment)).map((row) => COLUMNS.map((column) => row[column]));
    expect(cells).toEqual([
      ['2026-05-01', a.id, 'A', 10, 2, 3, 15, 10, 2, 3, 15],
      ['2026-05-01', b.id, 'B', 7, 0, 0, 0, 7, 0, 0, 0],
      ['2026-05-02', a.id, 'A', 0, 0, 0, 0, 10, 2, 3, 15],
      ['2026-05-02', b.id, 'B', 0, 0, 0, 0, 7, 0, 0, 0],
      ['2026-05-03', a.id, 'A', 5, 0, 0, 0, 15, 2, 3, 15],
      ['2026-05-03', b.id, 'B', 0, 0, 0, 0, 7, 0, 0, 0],
      ['2026-05-04', a.id, 'A', 0, 1, 1, -2.5, 15, 3, 4, 12.5],
      ['2026-05-04', b.id, 'B', 0, 1, 2, 0.0001, 7, 1, 2, 0.0001],
    ]);
  });

  it('has exactly the documented columns', async () => {
    const [row] = await rowsOf(await withHistory());
    expect(Object.keys(row)).toEqual(COLUMNS);
  });

  it.each([
    '',
    '?startDate=2026-05-02',
    '?endDate=2026-05-03',
    '?endDate=2026-05-01',
    '?deviceTypes=mobile',
    '?startDate=2026-05-01&endDate=2026-05-04&deviceTypes=desktop',
  ])('ends with the same figures as the results for "%s"', async (query) => {
    const experiment = await withHistory();
    const rows = await rowsOf(experiment, query);
    const { body } = await scene.client.get(`${experiment.path}/results${query}`);
    for (const { id } of experiment.variations as Made[]) {
      const last = rows.findLast(({ variation_id }) => variation_id === id)!;
      const figures = body[0].variationStatistics[id];
      expect({
        participants: last.cumulative_participants,
        conversions: last.cumulative_conversions,
        totalConversions: last.cumulative_total_conversions,
        totalValue: last.cumulative_value,
      }).toEqual({
        participants: figures.participants,
        conversions: figures.conversions,
        totalConversions: figures.totalConversions,
        totalValue: figures.totalValue,
      });
    }
  });

  it('adds up values exactly', async () => {
    const experiment = await withRevenue();
    const [{ id: variation }] = experiment.variations;
    const huge = 10n ** 40n;
    await cellsOf(experiment)
      .entered({ variation, day: '2026-05-01' }, 1)
      .converted(experiment.goals[0].id, { variation, day: '2026-05-01' }, { conversions: 1, value: huge })
      .converted(
        experiment.goals[0].id,
        { variation, day: '2026-05-02', entered: '2026-05-01' },
        { conversions: 1, value: 3n - huge },
      )
      .store();
    const rows = (await rowsOf(experiment)).filter(({ variation_id }) => variation_id === variation);
    expect(rows.map(({ cumulative_value }) => cumulative_value)).toEqual([1e36, 0.0003]);
  });

  it('shows 0 as the value of a goal without values', async () => {
    const experiment = await scene.make.ready();
    const place = { variation: experiment.variations[0].id as number, day: '2026-05-01' };
    await cellsOf(experiment)
      .entered(place, 1)
      .converted(experiment.goals[0].id, place, { converters: 1, value: 10_000n })
      .store();
    const [row] = await rowsOf(experiment);
    expect(row).toMatchObject({ conversions: 1, value: 0, cumulative_value: 0 });
  });
});

describe('the days of a series', () => {
  const range = (dates: (string | number)[]): unknown[] => [dates[0], dates.at(-1), dates.length];

  async function entered(...days: string[]): Promise<Made> {
    const experiment = await scene.make.ready();
    const cells = cellsOf(experiment);
    for (const day of days) {
      cells.entered({ variation: experiment.variations[0].id, day }, 1);
    }
    await cells.store();
    return experiment;
  }

  it.each<[query: string, first: string, last: string, count: number]>([
    ['', '2026-04-28', '2026-05-09', 12],
    ['?startDate=2026-05-02', '2026-05-02', '2026-05-09', 8],
    ['?startDate=2026-01-01', '2026-04-28', '2026-05-09', 12],
    ['?endDate=2026-05-04', '2026-04-28', '2026-05-04', 7],
    ['?startDate=2026-05-02&endDate=2026-05-02', '2026-05-02', '2026-05-02', 1],
    ['?endDate=2026-05-12', '2026-04-28', '2026-05-12', 15],
  ])('include days on which the experiment ran without events, with "%s"', async (query, ...expected) => {
    const experiment = await entered('2026-05-01', '2026-05-05');
    await ranFrom(scene.api, experiment.id, '2026-04-28', '2026-05-02');
    await ranFrom(scene.api, experiment.id, '2026-05-06', '2026-05-09');
    expect(range(datesOf(await rowsOf(experiment, query)))).toEqual(expected);
  });

  it('begin with the first participant if that is before the first run, and end with the last event', async () => {
    const experiment = await entered('2026-05-01', '2026-05-20');
    await ranFrom(scene.api, experiment.id, '2026-05-04', '2026-05-06');
    expect(range(datesOf(await rowsOf(experiment)))).toEqual(['2026-05-01', '2026-05-20', 20]);
  });

  it('do not exist if the filter ends before the series or begins after it', async () => {
    const experiment = await entered('2026-05-01');
    expect(await rowsOf(experiment, '?endDate=2026-04-30')).toEqual([]);
    expect(await rowsOf(experiment, '?startDate=2026-05-02')).toEqual([]);
  });

  it('continue until today while the experiment runs, and never into the future', async () => {
    const days = [3, 2].map((ago) => formatDay(today() - ago));
    const experiment = await entered(...days);
    const until = formatDay(today() - 2);
    expect(range(datesOf(await rowsOf(experiment)))).toEqual([days[0], until, 2]);
    await scene.make.move(experiment, 'running');
    for (const query of ['', '?endDate=9999-12-31']) {
      expect(range(datesOf(await rowsOf(experiment, query)))).toEqual([days[0], formatDay(today()), 4]);
    }
    await scene.make.move(experiment, 'pause');
    expect(range(datesOf(await rowsOf(experiment)))).toEqual([days[0], formatDay(today()), 4]);
  });
});

describe('the download', () => {
  const NAMES = ['plain', 'A "quoted", name', 'two\nlines', '=1+1', '+1', '-1', '@here', "'already", ' é; '];

  it('has the same rows as the series, cell by cell', async () => {
    const experiment = await withHistory(NAMES);
    const rows = await rowsOf(experiment);
    const { status, text, headers } = await scene.client.get(`${seriesOf(experiment)}/download`);
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/csv; charset=utf-8');
    expect(headers['content-disposition']).toBe(
      `attachment; filename="experiment-${experiment.id}-goal-${experiment.goals[0].id as number}.csv"`,
    );
    const [header, ...cells]: string[][] = parse(text, { record_delimiter: '\r\n' });
    expect(header).toEqual(COLUMNS);
    const guarded = (cell: string | number): string =>
      typeof cell === 'string' && /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : String(cell);
    expect(cells).toEqual(rows.map((row) => COLUMNS.map((column) => guarded(row[column]))));
    expect(cells.map(([, , name]) => name)).toEqual(
      expect.arrayContaining(["'=1+1", "'+1", "'-1", "'@here"]),
    );
    expect(cells.some((row) => row[6] === '-2.5')).toBe(true);
  });

  it('follows RFC 4180', async () => {
    const experiment = await withHistory(['A "quoted", name', 'two\nlines']);
    const [a, b] = experiment.variations as Made[];
    const { text } = await scene.client.get(`${seriesOf(experiment)}/download?endDate=2026-05-01`);
    expect(text).toBe(
      [
        COLUMNS.join(','),
        `2026-05-01,${a.id},"A ""quoted"", name",10,2,3,15,10,2,3,15`,
        `2026-05-01,${b.id},"two\nlines",7,0,0,0,7,0,0,0`,
        '',
      ].join('\r\n'),
    );
  });

  it('has only the header if the filter excludes all days', async () => {
    const experiment = await withHistory();
    const { text } = await scene.client.get(`${seriesOf(experiment)}/download?endDate=2026-04-30`);
    expect(text).toBe(`${COLUMNS.join(',')}\r\n`);
  });

  it('supports HEAD with the same headers', async () => {
    const path = `${seriesOf(await withHistory())}/download`;
    const [get, head] = [await scene.client.get(path), await scene.client.send('HEAD', path)];
    for (const name of ['content-type', 'content-disposition', 'content-length', 'etag']) {
      expect([name, head.headers[name]]).toEqual([name, get.headers[name]]);
    }
    expect([head.status, head.text]).toEqual([200, '']);
  });
});
