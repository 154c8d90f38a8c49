import { documentOf, textOf, useConsole } from '../support/console';
import { daysOfMay, fillDays } from '../support/shared-experiment';
import { signedIn, withPassword } from '../support/visitor';

/* CSV downloads of goal results, for signed-in users. */

const stage = useConsole();

async function measured() {
  const experiment = await stage.make.withStatus('pause', { name: 'Measured' });
  await fillDays(stage.scene, experiment, daysOfMay(3), [
    { participants: 100, converters: 10 },
    { participants: 100, converters: 12 },
  ]);
  const [goal] = experiment.goals as { id: number }[];
  return { experiment, goal, api: `${experiment.path}/results/goal/${goal.id}/download` };
}

it('the experiment page links to the same file as the API, even with a filter', async () => {
  const { experiment, goal, api } = await measured();
  const { viewer } = stage.world.people;
  const visitor = await stage.visitorOf(viewer);
  const document = await documentOf(visitor, experiment.path);
  const link = document.querySelector('[aria-labelledby="downloads"] a');
  expect([textOf(link), link?.getAttribute('href')]).toEqual([
    'Goal (CSV)',
    `${experiment.path}/goals/${goal.id}/series`,
  ]);
  for (const query of ['', '?startDate=2026-05-02&deviceTypes=desktop&deviceTypes=mobile']) {
    const file = await visitor.get(`${link?.getAttribute('href')}${query}`);
    const expected = await viewer.client.get(`${api}${query}`);
    expect([file.status, file.text]).toEqual([200, expected.text]);
    expect(file.text.split('\n').length).toBeGreaterThan(3);
    expect(file.headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="experiment-${experiment.id}-goal-${goal.id}.csv"`,
      'cache-control': 'no-store',
    });
  }
});

it('a filtered page links to a file with the same filter', async () => {
  const { experiment, api } = await measured();
  const { viewer } = stage.world.people;
  const visitor = await stage.visitorOf(viewer);
  const query = '?startDate=2026-05-02&deviceTypes=desktop&deviceTypes=mobile';
  const document = await documentOf(visitor, `${experiment.path}${query}`);
  const card = document.querySelector('[aria-labelledby="downloads"]');
  const file = await visitor.get(card?.querySelector('a')?.getAttribute('href') ?? '');
  const expected = await viewer.client.get(`${api}${query}`);
  expect([file.status, file.text]).toEqual([200, expected.text]);
  expect(file.text).not.toBe((await viewer.client.get(api)).text);
  expect(card?.querySelector('p')?.textContent).toContain('for the participants selected above');
  expect(textOf(card?.querySelector('pre') ?? null)).toContain('startDate=2026-05-02');
});

it('API errors are shown on a page', async () => {
  const { experiment, goal } = await measured();
  const visitor = await stage.visitorOf(stage.world.people.viewer);
  const statusOf = async (path: string) => (await visitor.get(path)).status;
  expect(await statusOf(`${experiment.path}/goals/${goal.id}/series?startDate=yesterday`)).toBe(422);
  expect(await statusOf(`${experiment.path}/goals/999999/series`)).toBe(404);
  expect(await statusOf(`${experiment.path}/goals/x%2Fy/series`)).toBe(404);
  const outsider = await withPassword(stage.api, stage.world.outsider);
  const { visitor: stranger } = await signedIn(stage.api, outsider);
  expect((await stranger.get(`${experiment.path}/goals/${goal.id}/series`)).status).toBe(404);
});
