import { dayOf, formatDay, nowMicros } from '../../src/common/time/clock';
import { formatLongDay } from '../../src/presentation/text/dates';
import { documentOf, submitPage, textOf, textsOf, useConsole } from '../support/console';
import { anotherProject, type Made, type Maker } from '../support/scene';
import type { Visitor } from '../support/visitor';

/* The warnings about a plan that ends before the minimum runtime, and so before its first look. */

const stage = useConsole();
let admin: Visitor;
let make: Maker;
let today: number;
beforeAll(async () => {
  admin = await stage.admin();
  make = await anotherProject(stage);
  await stage.client.patch(make.project, { min_runtime_days: 14 });
  await stage.client.patch(`${make.project}/settings`, { statistics_method: 'planned' });
  today = dayOf(nowMicros());
});

const planned = (days: number, fields: object = {}): Promise<Made> =>
  make.ready({ planned_participants: 1_000, planned_end: formatDay(today + days), ...fields });

const warningsOn = async (path: string): Promise<string[]> =>
  textsOf(await documentOf(admin, path), 'p.notice');

const pagesOf = ({ path }: Made): string[] => [path, `${path}/edit`, `${path}/status?to=running`];

describe('a plan that ends before the minimum runtime', () => {
  it('is accepted with a warning that names the earliest last day', async () => {
    const experiment = await make.ready({ planned_participants: 1_000 });
    const planned_end = formatDay(today + 13);
    const { status } = await submitPage(admin, `${experiment.path}/edit`, { planned_end });
    expect(status).toBe(303);
    const warning = `The plan ends on ${formatLongDay(today + 13)}, before the minimum runtime of 14 days, so there will never be a verdict. After the start, the plan cannot change. If the experiment starts today, the earliest possible last day is ${formatLongDay(today + 14)}.`;
    for (const page of pagesOf(experiment)) {
      expect(await warningsOn(page)).toEqual([warning]);
    }
  });

  it('counts from a scheduled start, except where the experiment is started now', async () => {
    const starts_at = `${formatDay(today + 5)}T12:00:00Z`;
    const experiment = await planned(18, { starts_at });
    const [page, edit, start] = pagesOf(experiment);
    const earliest = `If the experiment starts on ${formatLongDay(today + 5)}, the earliest possible last day is ${formatLongDay(today + 19)}.`;
    expect(await warningsOn(page)).toEqual([expect.stringContaining(earliest)]);
    expect(await warningsOn(start)).toEqual([]);
    expect(textOf((await documentOf(admin, edit)).querySelector('#planned_end-hint'))).toContain(earliest);
  });

  it.each<[string, () => Promise<Made>]>([
    ['ends late enough', () => planned(14)],
    ['has no end', () => planned(0, { planned_end: null })],
    ['has no participants', () => planned(1, { planned_participants: null })],
    [
      'has started',
      async () => {
        const experiment = await planned(1);
        await make.move(experiment, 'running');
        return experiment;
      },
    ],
  ])('has no warning if it %s', async (_, create) => {
    const { path } = await create();
    expect(await warningsOn(path)).toEqual([]);
    expect(await warningsOn(`${path}/edit`)).toEqual([]);
  });

  it('has no warning with another method', async () => {
    const experiment = await stage.make.ready({
      planned_participants: 1_000,
      planned_end: formatDay(today + 1),
    });
    for (const page of pagesOf(experiment)) {
      expect(await warningsOn(page)).toEqual([]);
    }
  });
});
