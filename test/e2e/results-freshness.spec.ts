import { ProjectsService } from '../../src/projects/projects.service';
import { ShareTokensService } from '../../src/experiments/share-tokens.service';
import { TestApi } from '../support/api';
import { Cells } from '../support/cells';
import type { Client } from '../support/client';
import { beforeEachRead } from '../support/interrupted-reads';
import { addressesOf, DAY, enter, Setting, settingIn } from '../support/result-settings';
import { Made, useScene } from '../support/scene';

/* Responses with results are up to date, and an ETag identifies exactly one response. */

const scene = useScene();
let other: TestApi;
let there: Client;
beforeAll(async () => {
  other = await scene.api.sibling();
  there = other.as(scene.world.people.admin.token);
});
afterAll(() => other.close());
afterEach(() => jest.restoreAllMocks());

interface View {
  text: string;
  tag: string | undefined;
}

/** The responses of all paths, which must be the same in both processes. */
async function look(place: Setting): Promise<View[]> {
  const views: View[] = [];
  for (const address of addressesOf(place)) {
    const [here, elsewhere] = [await scene.client.get(address), await there.get(address)];
    expect([address, here.text, here.headers.etag]).toEqual([
      address,
      elsewhere.text,
      elsewhere.headers.etag,
    ]);
    views.push({ text: here.text, tag: here.headers.etag });
  }
  return views;
}

type Write = (place: Setting) => Promise<unknown>;
const service = <T>(type: new (...values: never[]) => T): T => other.app.get(type, { strict: false });
const projectId = ({ make }: Setting): number => make.projectId;
const settings =
  (fields: object): Write =>
  ({ make }) =>
    scene.client.patch(make.project, fields);

const visible: [what: string, write: Write][] = [
  ['cells', ({ experiment }) => enter(scene, experiment, '2026-05-02', 40)],
  [
    'the shown generation of cells',
    ({ experiment }) =>
      new Cells(scene.api, experiment.id)
        .entered({ variation: experiment.variations[0].id, day: DAY }, 7)
        .store({ generation: 2 }),
  ],
  [
    'the name of a variation',
    ({ experiment: { path, variations } }) =>
      scene.client.patch(`${path}/variations/${variations[1].id}`, { name: 'Other name' }),
  ],
  [
    'the choice of the original',
    ({ experiment: { path, variations } }) =>
      scene.client.patch(`${path}/variations/${variations[1].id}`, { is_original: true }),
  ],
  [
    'the share of a variation',
    ({ experiment: { path, variations } }) =>
      scene.client.patch(`${path}/variations/${variations[1].id}`, { traffic_allocation: 90 }),
  ],
  ['the number of variations', ({ make, experiment }) => make.variation(experiment)],
  ['the name of the goal', ({ goal }) => scene.client.patch(goal.path, { name: 'Other name' })],
  ['the api_name of the goal', ({ goal }) => scene.client.patch(goal.path, { api_name: 'other-name' })],
  ['the direction of the goal', ({ goal }) => scene.client.patch(goal.path, { direction: 'decrease' })],
  [
    'the conversion window of the goal',
    ({ goal }) => scene.client.patch(goal.path, { conversion_window_days: 7 }),
  ],
  ['the value type of the goal', ({ goal }) => scene.client.patch(goal.path, { value_type: 'number' })],
  [
    'the attached goals',
    ({ experiment, goal, spare }) => scene.client.patch(experiment.path, { goals: [goal.id, spare.id] }),
  ],
  [
    'the order of goals',
    async ({ experiment, goal, spare }) => {
      await scene.client.patch(experiment.path, { goals: [goal.id, spare.id] });
      await scene.client.get(`${experiment.path}/results`);
      await scene.client.patch(experiment.path, { goals: [spare.id, goal.id] });
    },
  ],
  ['the significance', settings({ significance: 99 })],
  ['min_conversions', settings({ min_conversions: 26 })],
  ['min_runtime_days', settings({ min_runtime_days: 0 })],
  [
    'the statistics method',
    (place) =>
      service(ProjectsService).setMethod(projectId(place), { statistics_method: 'bayesian' }, 'admin'),
  ],
  [
    'the share token',
    ({ experiment }) => service(ShareTokensService).rotateShareToken(experiment.id, 'admin'),
  ],
];

describe('the ETag and response change immediately after a change of', () => {
  it.each(visible)('%s', async (_, write) => {
    const place = await settingIn(scene);
    const before = await look(place);
    await write(place);
    const after = await look(place);
    expect(after.map(({ text }) => text)).not.toEqual(before.map(({ text }) => text));
    for (const [index, { tag }] of after.entries()) {
      expect([index, tag]).not.toEqual([index, before[index].tag]);
    }
  });

  it('the attached goals, and a detached goal no longer has results', async () => {
    const place = await settingIn(scene);
    const before = await look(place);
    await scene.client.patch(place.experiment.path, { goals: [place.spare.id] });
    for (const client of [scene.client, there]) {
      const statuses: number[] = [];
      for (const [index, address] of addressesOf(place).entries()) {
        const headers = { 'if-none-match': before[index].tag! };
        statuses.push((await client.get(address, headers)).status);
      }
      expect(statuses).toEqual([200, 200, 200, 404, 404]);
    }
  });

  it('the existence of results', async () => {
    const experiment = await scene.make.ready();
    const results = `${experiment.path}/results`;
    const before = await scene.client.get(`${results}/info`);
    expect((await scene.client.get(results)).status).toBe(404);
    await enter(scene, experiment, DAY, 100);
    const after = await scene.client.get(`${results}/info`, { 'if-none-match': before.headers.etag! });
    expect([after.status, after.body.participants]).toEqual([200, 200]);
    expect((await scene.client.get(results)).status).toBe(200);
  });
});

describe('the ETag stays the same', () => {
  const elsewhere: [what: string, write: Write][] = [
    ['nothing', () => Promise.resolve()],
    ['another goal', ({ spare }) => scene.client.patch(spare.path, { name: 'New', direction: 'decrease' })],
    ['the page', ({ page }) => scene.client.patch(page.path, { conditions: [] })],
    ['the description of the goal', ({ goal }) => scene.client.patch(goal.path, { description: 'New' })],
    ['another experiment', async ({ make }) => enter(scene, await make.ready(), DAY, 4)],
    [
      'cells that are not shown',
      ({ experiment }) =>
        new Cells(scene.api, experiment.id)
          .entered({ variation: experiment.variations[0].id, day: DAY }, 7)
          .store({ generation: 2, shown: false }),
    ],
  ];

  it.each(elsewhere)('after a change of %s, and the response is 304 without a body', async (_, write) => {
    const place = await settingIn(scene);
    const before = await look(place);
    await write(place);
    expect(await look(place)).toEqual(before);
    for (const [index, address] of addressesOf(place).entries()) {
      const answer = await scene.client.get(address, { 'if-none-match': before[index].tag! });
      expect([answer.status, answer.text, answer.headers.etag]).toEqual([304, '', before[index].tag]);
    }
  });

  it('and the check needs only one query', async () => {
    const place = await settingIn(scene);
    const [before] = await look(place);
    const query = jest.spyOn(scene.api.database.read, 'query');
    for (const headers of [{}, { 'if-none-match': before.tag! }]) {
      query.mockClear();
      await scene.client.get(addressesOf(place)[0], headers as Record<string, string>);
      // The user of the token is cached for three seconds.
      expect(query.mock.calls.filter(([sql]) => !sql.includes('api_tokens'))).toHaveLength(1);
    }
  });
});

describe('while the experiment runs', () => {
  const SECOND = 1_000;

  it('the results change every second, unlike the info and the series', async () => {
    const place = await settingIn(scene);
    await place.make.move(place.experiment, 'running');
    const now = jest.spyOn(Date, 'now');
    const start = Math.ceil(Date.now() / 60_000) * 60_000;
    now.mockReturnValue(start + 100);
    const before = await look(place);
    now.mockReturnValue(start + 900);
    expect(await look(place)).toEqual(before);
    now.mockReturnValue(start + 5 * SECOND);
    const after = await look(place);
    const changed = after.map(({ tag, text }, index) => [
      tag !== before[index].tag,
      text !== before[index].text,
    ]);
    expect(changed).toEqual([
      [true, true],
      [true, true],
      [false, false],
      [false, false],
      [false, false],
    ]);
    const days = ({ text }: View): number =>
      (JSON.parse(text) as Made[])[0].variationStatistics[place.experiment.variations[0].id].duration
        .daysRunning as number;
    expect(days(after[0]) - days(before[0])).toBeCloseTo(5 / 86_400, 9);
  });

  it('the series gets a new day at midnight', async () => {
    const place = await settingIn(scene);
    await place.make.move(place.experiment, 'running');
    const [, , , series] = addressesOf(place);
    const now = jest.spyOn(Date, 'now');
    const midnight = Math.ceil(Date.now() / 86_400_000) * 86_400_000;
    // The monotonic clock of the server can be milliseconds ahead of the frozen clock.
    now.mockReturnValue(midnight - SECOND);
    const before = await scene.client.get(series);
    now.mockReturnValue(midnight);
    const after = await scene.client.get(series, { 'if-none-match': before.headers.etag! });
    const rows = (before.body as unknown[]).length;
    expect([after.status, after.body.length]).toEqual([200, rows + 2]);
  });
});

describe('cells that change during a read', () => {
  /** Stores cells before each read, up to `times` times, until the returned function is called. */
  function storeBeforeReading({ experiment }: Setting, times: number): () => void {
    let stored = 0;
    return beforeEachRead(scene.api, async (sql) => {
      if (/JOIN (result|entry)_cells/.test(sql) && stored < times) {
        stored += 1;
        await enter(scene, experiment, `2026-06-${String(stored).padStart(2, '0')}`, 4);
      }
    });
  }

  it('are in the response, with the ETag of the new state', async () => {
    const place = await settingIn(scene);
    const stop = storeBeforeReading(place, 1);
    for (const address of addressesOf(place)) {
      const during = await scene.client.get(address);
      const after = await there.get(address);
      expect([during.text, during.headers.etag]).toEqual([after.text, after.headers.etag]);
    }
    stop();
  });

  it('on every attempt still result in a consistent response with a matching ETag', async () => {
    const place = await settingIn(scene);
    const [address] = addressesOf(place);
    const stop = storeBeforeReading(place, 1_000);
    const { status, headers } = await scene.client.get(address);
    stop();
    const again = await scene.client.get(address, { 'if-none-match': headers.etag! });
    expect([status, again.status]).toEqual([200, 200]);
    expect(again.text).toBe((await there.get(address)).text);
  });
});
