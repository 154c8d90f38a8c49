import { formatDay } from '../../src/common/time/clock';
import { Cells, today } from '../support/cells';
import { errorsOf, Made, useScene } from '../support/scene';

/* Conversion windows: the days after the first exposure in which conversions count. */

const scene = useScene();
const LONG_AGO = 1_000_000;

/**
 * Conversions of the original on days in May, by day of entry. On each day of entry, 10 participants entered the
 * original and 12 the variation.
 */
const CONVERSIONS: [entered: number, day: number, converters: number, value: bigint][] = [
  [1, 1, 1, 1n],
  [1, 3, 2, 10n],
  [1, 8, 3, 100n],
  [1, 9, 1, 1_000n],
  [5, 12, 2, 10_000n],
  [5, 13, 1, 100_000n],
  [10, 10, 4, 1_000_000n],
  [10, 14, 1, 10_000_000n],
];
const may = (day: number): string => `2026-05-${String(day).padStart(2, '0')}`;

interface History extends Made {
  windowed: Made;
  plain: Made;
}

/** Creates an experiment with two goals that have the same conversions. Participants entered on three days. */
async function history(window: number | null, status = 'draft'): Promise<History> {
  const [windowed, plain] = [
    await scene.make.goal({ value_type: 'number', conversion_window_days: window }),
    await scene.make.goal({ value_type: 'number' }),
  ];
  const experiment = await scene.make.withStatus(status, { goals: [windowed.id, plain.id] });
  const variations = experiment.variations.map(({ id }: Made) => id) as number[];
  const cells = new Cells(scene.api, experiment.id);
  for (const entered of [1, 5, 10].map(may)) {
    cells.entered({ variation: variations[0], day: entered }, 10);
    cells.entered({ variation: variations[1], day: entered }, 12);
  }
  for (const [entered, day, converters, value] of CONVERSIONS) {
    const place = { variation: variations[0], entered: may(entered), day: may(day) };
    for (const { id } of [windowed, plain]) {
      cells.converted(id, place, { converters, value: value * 10_000n, valueSquared: value * value });
    }
  }
  await cells.store();
  return { ...experiment, windowed, plain };
}

type Figures = [participants: number, conversions: number, totalValue: number];

const figuresIn = (entry: Made, variation: number): Figures => {
  const { participants, conversions, totalValue } = entry.variationStatistics[variation];
  return [participants, conversions, totalValue];
};

/** The figures of the original for both goals. Asserts that results, series, CSV and share link agree. */
async function found(experiment: History, query = ''): Promise<Figures[]> {
  const results = `${experiment.path}/results`;
  const [{ id: original }] = experiment.variations;
  const { body } = await scene.client.get(`${results}${query}`);
  const path = new URL((await scene.client.get(`${results}/info`)).body.share_url).pathname;
  const shared = await scene.api.as(null).get(`/${path}${query}`, { accept: 'application/json' });
  expect(shared.body).toEqual(body);
  const all = (body as Made[]).map((entry) => figuresIn(entry, original));
  for (const [index, { id }] of [experiment.windowed, experiment.plain].entries()) {
    const { body: rows } = await scene.client.get(`${results}/goal/${id}${query}`);
    const last = (rows as Made[]).findLast(({ variation_id }) => variation_id === original);
    expect([last?.cumulative_participants, last?.cumulative_conversions, last?.cumulative_value]).toEqual(
      all[index],
    );
    const csv = (await scene.client.get(`${results}/goal/${id}/download${query}`)).text.trim().split('\r\n');
    expect(csv.slice(1).map((line) => Number(line.split(',').at(-1)))).toEqual(
      (rows as Made[]).map(({ cumulative_value }) => cumulative_value),
    );
  }
  return all;
}

const EVERYTHING: Figures = [30, 15, 11_111_111];

describe('a conversion window', () => {
  it.each<[window: number | null, query: string, figures: Figures]>([
    [null, '', EVERYTHING],
    [365, '', EVERYTHING],
    [8, '', EVERYTHING],
    [7, '', [30, 13, 11_010_111]],
    [4, '', [30, 8, 11_000_011]],
    [1, '', [30, 5, 1_000_001]],
    [7, '?startDate=2026-05-02', [20, 7, 11_010_000]],
    [7, '?endDate=2026-05-10', [30, 10, 1_000_111]],
    [2, '?endDate=2026-05-09', [20, 3, 11]],
    [7, '?endDate=2026-05-31', [30, 13, 11_010_111]],
    [7, '?deviceTypes=tablet', [0, 0, 0]],
  ])('of %j days with the filter "%s" gives the results %j', async (window, query, figures) => {
    const [windowed, plain] = await found(await history(window), query);
    expect(windowed).toEqual(figures);
    const unlimited = await history(null);
    expect(plain).toEqual((await found(unlimited, query))[0]);
  });

  it('can change at any time, and then applies to the whole history', async () => {
    const experiment = await history(null);
    const windows: [number | null, Figures][] = [
      [7, [30, 13, 11_010_111]],
      [1, [30, 5, 1_000_001]],
      [null, EVERYTHING],
    ];
    for (const [conversion_window_days, figures] of windows) {
      const answer = await scene.client.patch(experiment.windowed.path, { conversion_window_days });
      expect([answer.status, answer.body.conversion_window_days]).toEqual([200, conversion_window_days]);
      expect(await found(experiment)).toEqual([figures, EVERYTHING]);
    }
  });

  it('applies to the share page and its plots', async () => {
    const [limited, unlimited] = [await history(1), await history(null)];
    const pages = await Promise.all(
      [limited, unlimited].map(async ({ path, windowed }) => {
        const { share_url } = (await scene.client.get(`${path}/results/info`)).body;
        const address = `/${new URL(share_url).pathname}`;
        const { text } = await scene.api.as(null).get(address, { accept: 'text/html' });
        const image = await scene.api.as(null).get(`${address}/goals/${windowed.id}.svg`);
        const shown = '33\u202f333.37';
        expect(image.text.includes(shown)).toBe(text.includes(shown));
        return text;
      }),
    );
    expect(pages.map((page) => page.includes('33\u202f333.37'))).toEqual([true, false]);
    expect(pages.map((page) => page.includes('name="cohorts"'))).toEqual([true, false]);
  });

  const WRONG = [0, 366, -1, 1.5, '7', true, [7], {}, 1e300];
  it.each(WRONG.map((value) => [JSON.stringify(value), value]))('of %s is rejected', async (_, value) => {
    const message = 'The conversion window days must be a whole number between 1 and 365.';
    const fields = { name: 'Wrong', conversion_window_days: value };
    const created = await scene.client.post(`${scene.project}/goals`, fields);
    expect(errorsOf(created)).toEqual({ conversion_window_days: [message] });
    const goal = await scene.make.goal({ conversion_window_days: 365 });
    const changed = await scene.client.patch(goal.path, { conversion_window_days: value });
    expect(errorsOf(changed)).toEqual({ conversion_window_days: [message] });
    expect((await scene.client.get(goal.path)).body.conversion_window_days).toBe(365);
  });
});

describe('mature cohorts', () => {
  it.each<[window: number | null, query: string, windowed: Figures]>([
    [7, '', [30, 13, 11_010_111]],
    [7, '&endDate=2026-05-12', [20, 8, 10_111]],
    [7, '&endDate=2026-05-11', [10, 6, 111]],
    [7, '&endDate=2026-05-07', [0, 0, 0]],
    [2, '&endDate=2026-05-12', [30, 7, 1_000_011]],
    [7, '&startDate=2026-05-02&endDate=2026-05-12', [10, 2, 10_000]],
    [null, '&endDate=2026-05-12', [30, 13, 1_011_111]],
  ])('with a window of %j days and the filter "%s" have the results %j', async (window, query, figures) => {
    const experiment = await history(window);
    const [windowed, plain] = await found(experiment, `?cohorts=mature${query}`);
    expect(windowed).toEqual(figures);
    expect(plain).toEqual((await found(experiment, `?${query}`))[1]);
  });

  it('exclude visitors who entered today', async () => {
    const experiment = await history(3, 'pause');
    const [{ id: variation }] = experiment.variations;
    const place = { variation, day: formatDay(today()) };
    await new Cells(scene.api, experiment.id)
      .entered(place, 100)
      .converted(experiment.windowed.id, place, { converters: 50 })
      .store();
    const [all] = await found(experiment);
    const [mature] = await found(experiment, '?cohorts=mature');
    expect([all.slice(0, 2), mature.slice(0, 2)]).toEqual([
      [130, 57],
      [30, 7],
    ]);
  });

  it('do not affect the sample ratio test', async () => {
    const experiment = await history(7);
    const [{ id: variation }] = experiment.variations;
    await new Cells(scene.api, experiment.id).entered({ variation, day: may(20) }, 5_000).store();
    const query = '?cohorts=mature&endDate=2026-05-20';
    const { body } = await scene.client.get(`${experiment.path}/results${query}`);
    const { participants, statistics } = body[0].variationStatistics[experiment.variations[1].id];
    expect([participants, statistics.verdict]).toEqual([36, 'untrustworthy']);
    expect(statistics.warnings).toContain('SAMPLE_RATIO_MISMATCH');
  });

  it.each(['', 'all', 'Mature', 'mature,all', 'mature&cohorts=mature'])(
    'are not selected by the value "%s", which every results route rejects',
    async (text) => {
      const { path, windowed } = await history(7);
      const { share_url } = (await scene.client.get(`${path}/results/info`)).body;
      const message = text.includes('&')
        ? 'The cohorts parameter may be given only once.'
        : 'The cohorts must be one of: mature.';
      const paths = ['results', `results/goal/${windowed.id}`, `results/goal/${windowed.id}/download`];
      for (const address of paths.map((end) => `${path}/${end}?cohorts=${text}`)) {
        expect(errorsOf(await scene.client.get(address))).toEqual({ cohorts: [message] });
      }
      const shared = await scene.api
        .as(null)
        .get(`/${new URL(share_url).pathname}?cohorts=${text}`, { accept: 'application/json' });
      expect(shared.status).toBe(text === '' ? 200 : 422);
    },
  );

  it('are an option of the share page that its links preserve', async () => {
    const experiment = await history(7);
    const { share_url } = (await scene.client.get(`${experiment.path}/results/info`)).body;
    const address = `/${new URL(share_url).pathname}`;
    const get = (query: string) => scene.api.as(null).get(`${address}${query}`, { accept: 'text/html' });
    const { text } = await get('?cohorts=mature');
    expect(text).toContain(
      'Goals with a conversion window include only participants whose window has ended.',
    );
    expect(text).toMatch(/<input[^>]* name="cohorts" value="mature" checked/);
    expect((await get('')).text).not.toMatch(/<input[^>]* name="cohorts" value="mature" checked/);
    const wrong = await get('?cohorts=all');
    expect(wrong.status).toBe(422);
    expect(wrong.text).toContain('The cohorts must be one of: mature.');
    const one = await get(`/goals/${experiment.windowed.id}?cohorts=mature`);
    expect(one.text).toContain('?cohorts=mature"');
  });

  it('do not hide participants in the traffic split of the share page', async () => {
    const experiment = await history(7);
    const { share_url } = (await scene.client.get(`${experiment.path}/results/info`)).body;
    const query = '?cohorts=mature&endDate=2026-05-12';
    const { text } = await scene.api
      .as(null)
      .get(`/${new URL(share_url).pathname}${query}`, { accept: 'text/html' });
    // The windows of 44 participants are complete for the primary goal, but all 66 count for the sample ratio.
    expect(text).toContain('<dt>Participants</dt><dd>66</dd>');
    const [split = ''] = /Traffic split.*?<\/table>/.exec(text) ?? [];
    const cells = [...split.matchAll(/class="number"[^>]*>(?:<span.*?<\/svg>)?([\d.]+)/g)];
    expect(cells.map(([, figure]) => figure)).toEqual(['30', '45.5', '36', '54.5']);
  });
});

describe('a window that changes', () => {
  async function archived(experiment: Made): Promise<void> {
    await scene.make.move(experiment, 'archive');
    await scene.api.database.transaction((tx) =>
      tx.query('UPDATE experiments SET archived_at = ? WHERE id = ?', [LONG_AGO, experiment.id]),
    );
  }
  const infoOf = async ({ path }: Made): Promise<Made> =>
    (await scene.client.get(`${path}/results/info`)).body;

  it('revises final results that have conversions of the goal, and shows the time of the change', async () => {
    const [final, ended] = [await history(null), await history(null)];
    await archived(final);
    await scene.make.move(ended, 'archive');
    const unused = await scene.make.goal();
    const without = await scene.make.ready({ goals: [unused.id] });
    await new Cells(scene.api, without.id)
      .entered({ variation: without.variations[0].id, day: may(1) }, 1)
      .store();
    await archived(without);
    for (const { path } of [final.windowed, ended.windowed, unused]) {
      expect((await scene.client.patch(path, { name: 'Renamed' })).status).toBe(200);
    }
    expect(await infoOf(final)).toMatchObject({ is_final: true, revised_at: null });
    for (const { path } of [final.windowed, ended.windowed, unused]) {
      expect((await scene.client.patch(path, { conversion_window_days: 7 })).status).toBe(200);
    }
    const changed = (await scene.client.get(final.windowed.path)).body;
    expect(await infoOf(final)).toMatchObject({ is_final: true, revised_at: changed.updated_at });
    expect(await infoOf(ended)).toMatchObject({ is_final: false, revised_at: null });
    expect(await infoOf(without)).toMatchObject({ is_final: true, revised_at: null });
    expect((await found(final))[0]).toEqual([30, 13, 11_010_111]);
  });
});
