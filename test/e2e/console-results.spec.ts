import type { Made } from '../support/scene';
import { documentOf, textsOf, useConsole } from '../support/console';
import { daysOfMay, fillDays } from '../support/shared-experiment';
import { statementsDuring } from '../support/statements';
import type { Visitor } from '../support/visitor';

/* The results on an experiment page, which the server caches until they change. */

const stage = useConsole();
let admin: Visitor;
let experiment: Made;
beforeAll(async () => {
  admin = await stage.admin();
});

const entered = { participants: 100, converters: 10 };

beforeEach(async () => {
  experiment = await stage.make.ready({ name: 'Kept' });
  await stage.make.move(experiment, 'running');
  await stage.make.move(experiment, 'pause');
  await fillDays(stage.scene, experiment, daysOfMay(2), [entered, entered]);
  await admin.get(experiment.path);
});

const CELLS = /\b(?:result|entry)_cells\b/;

const shown = async (selector: string, query = ''): Promise<string[]> =>
  textsOf(await documentOf(admin, `${experiment.path}${query}`), selector);

it('results are computed once for several readers', async () => {
  const viewer = await stage.visitorOf(stage.world.people.viewer);
  const statements = await statementsDuring(stage.api, async () => {
    const [first, second] = [await admin.get(experiment.path), await viewer.get(experiment.path)];
    expect(second.text).toContain('Results');
    expect([first.status, second.status]).toEqual([200, 200]);
  });
  expect(statements.filter((sql) => CELLS.test(sql))).toEqual([]);
});

it('new figures are shown immediately', async () => {
  const participants = (): Promise<string[]> => shown('.facts dd');
  expect((await participants())[0]).toBe('400');
  await fillDays(stage.scene, experiment, ['2026-05-03'], [entered, entered]);
  expect((await participants())[0]).toBe('600');
});

it('new names and settings are shown immediately', async () => {
  const goal = experiment.goals[0].id as number;
  await stage.client.patch(`${stage.world.project}/goals/${goal}`, { name: 'Renamed goal' });
  expect((await shown('.goal h2'))[0]).toBe('Renamed goal');
  const variation = experiment.variations[1].id as number;
  await stage.client.patch(`${experiment.path}/variations/${variation}`, { name: 'Renamed variation' });
  expect((await shown('.result-variation'))[0]).toContain('Renamed variation');
  await stage.client.patch(stage.world.project, { significance: 99 });
  expect((await shown('.facts dd')).at(-1)).toBe('99 %');
});

it('the results of each filter are cached separately', async () => {
  const first = '?startDate=2026-05-01&endDate=2026-05-01';
  expect((await shown('.facts dd', first))[0]).toBe('200');
  expect((await shown('.facts dd'))[0]).toBe('400');
  expect((await shown('.facts dd', first))[0]).toBe('200');
});

it('the plot URLs are shown or hidden, depending on whether the results are shared', async () => {
  const goals = await Promise.all([1, 2, 3, 4].map(() => stage.make.goal()));
  await stage.client.patch(experiment.path, { goals: goals.map(({ id }) => id) });
  const images = async (): Promise<number> => (await shown('.plot-images')).length;
  expect(await images()).toBe(1);
  await stage.client.patch(experiment.path, { shared: false });
  expect(await images()).toBe(0);
  await stage.client.patch(experiment.path, { shared: true });
  expect(await images()).toBe(1);
});
