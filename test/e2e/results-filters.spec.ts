import type { DeviceType } from '../../src/events/device-types';
import { Cells, ranFrom } from '../support/cells';
import { errorsOf, Made, useScene } from '../support/scene';
import { daysOfMay } from '../support/shared-experiment';

/* The participants that filters select. */

const scene = useScene();

/** The entry day and device of visitors, and the days of their conversions. */
const ENTRIES: [day: string, device: DeviceType, participants: number, converters: Record<string, number>][] =
  [
    ['2026-05-01', 'desktop', 1, { '2026-05-01': 1 }],
    ['2026-05-01', 'mobile', 2, { '2026-05-03': 1 }],
    ['2026-05-02', 'desktop', 4, { '2026-05-02': 1, '2026-05-04': 2 }],
    ['2026-05-02', 'tablet', 8, {}],
    ['2026-05-03', 'mobile', 16, { '2026-05-03': 3, '2026-05-05': 5 }],
    ['2026-05-04', 'other', 32, { '2026-05-04': 7, '2026-05-05': 11 }],
  ];

let experiment: Made;
let goal: Made;
let results: string;
beforeAll(async () => {
  goal = await scene.make.goal();
  experiment = await scene.make.ready({ goals: [goal.id] });
  results = `${experiment.path}/results`;
  const variation = experiment.variations[0].id as number;
  const cells = new Cells(scene.api, experiment.id);
  for (const [entered, device, participants, conversions] of ENTRIES) {
    cells.entered({ variation, day: entered, device }, participants);
    for (const [day, converters] of Object.entries(conversions)) {
      cells.converted(goal.id, { variation, day, entered, device }, { converters });
    }
  }
  await cells.store();
});

/** Participants and conversions for a query. Asserts that the results and the end of the series agree. */
async function found(query: string): Promise<[number, number]> {
  const { body } = await scene.client.get(`${results}?${query}`);
  const original = body[0].variationStatistics[experiment.variations[0].id];
  const { body: rows } = await scene.client.get(`${results}/goal/${goal.id}?${query}`);
  const last = rows.findLast((row: Made) => row.variation_id === original.id);
  expect([last?.cumulative_participants ?? 0, last?.cumulative_conversions ?? 0]).toEqual([
    original.participants,
    original.conversions,
  ]);
  return [original.participants, original.conversions];
}

describe('the filter', () => {
  it.each<[query: string, participants: number, conversions: number]>([
    ['', 63, 31],
    ['unknown=1', 63, 31],
    ['startDate=2026-05-01', 63, 31],
    ['startDate=2026-05-02', 60, 29],
    ['startDate=2026-05-04', 32, 18],
    ['startDate=2026-05-05', 0, 0],
    ['endDate=2026-04-30', 0, 0],
    ['endDate=2026-05-01', 3, 1],
    ['endDate=2026-05-02', 15, 2],
    ['endDate=2026-05-03', 31, 6],
    ['endDate=2026-05-04', 63, 15],
    ['endDate=2026-05-05', 63, 31],
    ['endDate=9999-12-31', 63, 31],
    ['startDate=0001-01-01&endDate=9999-12-31', 63, 31],
    ['startDate=2026-05-02&endDate=2026-05-02', 12, 1],
    ['startDate=2026-05-02&endDate=2026-05-03', 28, 4],
    ['deviceTypes=desktop', 5, 4],
    ['deviceTypes=mobile', 18, 9],
    ['deviceTypes=tablet', 8, 0],
    ['deviceTypes=other', 32, 18],
    ['deviceTypes=desktop,mobile', 23, 13],
    ['deviceTypes=desktop&deviceTypes=mobile', 23, 13],
    ['deviceTypes[]=desktop&deviceTypes[]=mobile', 23, 13],
    ['deviceTypes%5B0%5D=desktop&deviceTypes%5B1%5D=mobile', 23, 13],
    ['deviceTypes=desktop,%20desktop,', 5, 4],
    ['deviceTypes=desktop,mobile,tablet,other', 63, 31],
    ['startDate=2026-05-02&endDate=2026-05-03&deviceTypes=mobile,tablet', 24, 3],
    ['endDate=2026-05-03&deviceTypes=other', 0, 0],
  ])('%s finds %d participants and %d conversions', async (query, participants, conversions) => {
    expect(await found(query)).toEqual([participants, conversions]);
  });

  it('does not count conversions after the last selected day', async () => {
    const days = ['2026-05-01', '2026-05-02', '2026-05-03', '2026-05-04'];
    const each: [number, number][] = [];
    for (const day of days) {
      const { body } = await scene.client.get(`${results}?startDate=${day}&endDate=${day}`);
      const original = body[0].variationStatistics[experiment.variations[0].id];
      each.push([original.participants, original.conversions]);
    }
    expect(each).toEqual([
      [3, 1],
      [12, 1],
      [16, 3],
      [32, 7],
    ]);
  });

  it('does not change the info of the results', async () => {
    const plain = await scene.client.get(`${results}/info`);
    const { body } = await scene.client.get(`${results}/info?startDate=2026-05-04&deviceTypes=nonsense`);
    expect(body).toEqual(plain.body);
    expect(body.participants).toBe(63);
  });
});

describe('a filter with days', () => {
  const get = async (made: Made, query = '') => {
    const { body } = await scene.client.get(`${made.path}/results${query}`);
    return body[0].variationStatistics[made.variations[1].id];
  };

  it('gives the same results as an experiment that ran only on those days', async () => {
    const made = await scene.make.ready();
    await ranFrom(scene.api, made.id, '2026-04-20', '2026-05-20');
    const cells = new Cells(scene.api, made.id);
    for (const day of daysOfMay(20)) {
      const [original, other] = made.variations.map((one: Made) => ({ variation: one.id, day }));
      cells.entered(original, 2_000).converted(made.goals[0].id as number, original, { converters: 100 });
      cells.entered(other, 2_000).converted(made.goals[0].id as number, other, { converters: 200 });
    }
    await cells.store();
    expect(await get(made)).toMatchObject({
      isConfident: true,
      duration: { daysRunning: 30, daysLeft: 0, minRuntimeReached: true },
    });
    expect(await get(made, '?startDate=2026-05-04&endDate=2026-05-06')).toMatchObject({
      isConfident: false,
      statistics: { verdict: 'inconclusive' },
      duration: { daysRunning: 3, daysLeft: null, minRuntimeReached: false, minConversionsReached: true },
    });
    expect(await get(made, '?startDate=2026-05-04&endDate=2026-05-10')).toMatchObject({
      isConfident: true,
      duration: { daysRunning: 7, daysLeft: 0, minRuntimeReached: true },
    });
    expect((await get(made, '?deviceTypes=desktop')).duration.daysRunning).toBe(30);
  });
});

describe('an invalid filter', () => {
  const DAY_MESSAGE = (name: string): string => `The ${name} must be a valid date in the format YYYY-MM-DD.`;
  const DEVICES = 'The deviceTypes must be one or more of: desktop, mobile, tablet, other.';

  const wrong: [query: string, errors: Record<string, string[]>][] = [
    ...[
      '2026-02-30',
      '2025-02-29',
      '2026-13-01',
      '2026-5-1',
      '20260501',
      '01.05.2026',
      '2026-05-01T00:00:00Z',
      'today',
      '',
      '%202026-05-01',
    ].flatMap((text): [string, Record<string, string[]>][] => [
      [`startDate=${text}`, { startDate: [DAY_MESSAGE('startDate')] }],
      [`endDate=${text}`, { endDate: [DAY_MESSAGE('endDate')] }],
    ]),
    [
      'startDate=2026-05-01&startDate=2026-05-02',
      { startDate: ['The startDate parameter may be given only once.'] },
    ],
    ['endDate=2026-05-01&endDate=2026-05-01', { endDate: ['The endDate parameter may be given only once.'] }],
    [
      'startDate=2026-05-02&endDate=2026-05-01',
      { endDate: ['The endDate may not be before the startDate.'] },
    ],
    ...[
      '',
      ',',
      'phone',
      'Desktop',
      'desktop,phone',
      'desktop&deviceTypes=phone',
      'desktop&deviceTypes[]=phone',
    ].map((text): [string, Record<string, string[]>] => [`deviceTypes=${text}`, { deviceTypes: [DEVICES] }]),
    [
      'startDate=x&endDate=y&deviceTypes=z',
      {
        startDate: [DAY_MESSAGE('startDate')],
        endDate: [DAY_MESSAGE('endDate')],
        deviceTypes: [DEVICES],
      },
    ],
  ];

  it.each(wrong)('%s is rejected on every route', async (query, errors) => {
    for (const path of ['', `/goal/${goal.id}`, `/goal/${goal.id}/download`]) {
      const answer = await scene.client.get(`${results}${path}?${query}`);
      expect(errorsOf(answer)).toEqual(errors);
    }
  });

  it('is rejected even before there are results', async () => {
    const { path } = await scene.make.ready();
    expect((await scene.client.get(`${path}/results?startDate=2026-02-30`)).status).toBe(422);
  });

  it('returns 404 without access to the experiment, and for a missing goal', async () => {
    const query = 'startDate=2026-02-30';
    expect((await scene.other.client.get(`${results}?${query}`)).status).toBe(404);
    expect((await scene.client.get(`${results}/goal/2147483647?${query}`)).status).toBe(404);
  });
});
