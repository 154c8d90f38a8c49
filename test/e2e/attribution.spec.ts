import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { Attributor } from '../../src/events/attributor';
import { RebuildService } from '../../src/events/rebuild.service';
import { readCountingRules } from '../../src/events/counting-rules.store';
import { DAY_MICROS } from '../../src/common/time/clock';
import { EVERYBODY } from '../../src/results/result-filter';
import { ResultsService } from '../../src/results/results.service';
import type { TestApi } from '../support/api';
import { asText, clearResults, linkedCellsOf } from '../support/attributed';
import { AnyEvent, AnyLink, Course, withoutRepeats } from '../support/brute-force';
import { courseMaps, DAYS, eventSets, FIRST_DAY, linkSets } from '../support/event-sets';
import { attributeAll, conversion, exposure, send, shownCells } from '../support/events';
import { Histories } from '../support/histories';
import { interrupted } from '../support/interrupted-attributor';
import { checks } from '../support/properties';
import { useScene } from '../support/scene';

const scene = useScene();
const RUNS = 40;

const histories = new Histories(scene);
const { ids } = histories;
const asStored = (event: AnyEvent): AnyEvent => histories.asStored(event);

beforeAll(() => histories.prepare());

/** The runs, phases and caps with which each test begins. Earlier tests may have changed them. */
const ALWAYS: Course = {
  runs: [{ startedAt: 0, endedAt: null }],
  finalAt: null,
  phases: [0, 1, 2],
  caps: new Map([[12, 30_000]]),
  hasSquares: true,
  recounts: 0,
};
const always = new Map([1, 2].map((number) => [number, ALWAYS]));

/** Computes the expected cells from events and links, without a database. */
async function expectedCells(events: readonly AnyEvent[], links: readonly AnyLink[] = []): Promise<string[]> {
  const rules = await readCountingRules(scene.api.database.read, [ids.get(1)!, ids.get(2)!]);
  return linkedCellsOf(withoutRepeats(events).map(asStored), links, rules).map(asText).sort();
}

/** Random combinations of goal settings and filters with which results are read from the cells. */
const readings = fc.record({
  window: fc.option(fc.integer({ min: 1, max: DAYS }), { nil: null }),
  counting: fc.constantFrom('unique', 'every'),
  end: fc.option(fc.integer({ min: FIRST_DAY, max: FIRST_DAY + DAYS }), { nil: null }),
  cohorts: fc.constantFrom(null, 'mature' as const),
});
type Reading = typeof readings extends fc.Arbitrary<infer T> ? T : never;

/** The results of both experiments, which can have no participants. */
async function resultsOf({ app, database }: TestApi, { window, counting, end, cohorts }: Reading) {
  await database.transaction((tx) =>
    tx.query('UPDATE goals SET conversion_window_days = ?, counting = ? WHERE id = ?', [
      window,
      counting,
      ids.get(11),
    ]),
  );
  const results = app.get(ResultsService, { strict: false });
  const filter = { ...EVERYBODY, end, cohorts };
  const asOf = (FIRST_DAY + DAYS) * DAY_MICROS;
  return Promise.all([1, 2].map((number) => results.read(ids.get(number)!, filter, asOf)));
}

type Step =
  | { kind: 'store'; events: AnyEvent[] }
  | { kind: 'link'; links: AnyLink[] }
  | { kind: 'attribute' }
  | { kind: 'crash'; after: number }
  | { kind: 'change'; courses: Map<number, Course> };

/** Steps that store events in any order and batch size, some twice, with attribution and crashes at random points. */
const courses = eventSets.chain((events) =>
  fc
    .tuple(
      fc.shuffledSubarray([...events, ...events.slice(0, 10)], { minLength: events.length }),
      fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 8 }),
      fc.array(fc.oneof(fc.constant(-1), fc.integer({ min: 0, max: 9 })), { minLength: 8, maxLength: 8 }),
    )
    .map(([order, sizes, crashes]): Step[] => {
      const steps: Step[] = [];
      let start = 0;
      for (const [index, after] of crashes.entries()) {
        const size = sizes[index % sizes.length];
        steps.push({ kind: 'store', events: order.slice(start, start + size) });
        steps.push(after < 0 ? { kind: 'attribute' } : { kind: 'crash', after });
        start += size;
      }
      return [...steps, { kind: 'store', events: order.slice(start) }];
    }),
);

/** The same steps, with links added at random points. */
const linkedCourses = fc
  .tuple(courses, fc.array(fc.tuple(fc.nat(30), linkSets), { maxLength: 5 }))
  .map(([course, sets]): Step[] => {
    const steps = [...course];
    sets.forEach(([place, links]) => steps.splice(place % steps.length, 0, { kind: 'link', links }));
    return steps;
  });

const linksOf = (course: readonly Step[]): AnyLink[] =>
  course.flatMap((step) => (step.kind === 'link' ? step.links : []));

const eventsOf = (course: readonly Step[]): AnyEvent[] =>
  course.flatMap((step) => (step.kind === 'store' ? step.events : []));

async function run(api: TestApi, step: Step): Promise<void> {
  if (step.kind === 'store') {
    await histories.store(step.events.map(asStored));
  } else if (step.kind === 'attribute') {
    await attributeAll(api);
  } else if (step.kind === 'link') {
    await histories.store([], step.links);
  } else if (step.kind === 'change') {
    await histories.change(step.courses);
  } else {
    await interrupted(api, step.after)
      .step(null)
      .catch(() => undefined);
  }
}

describe('attribution', () => {
  beforeEach(() => histories.change(always));

  it('computes the same cells in any order and batch size, with repeats and crashes', async () => {
    const property = fc.asyncProperty(linkedCourses, async (course) => {
      await clearResults(scene.api);
      for (const step of course) {
        await run(scene.api, step);
      }
      await attributeAll(scene.api);
      expect(await shownCells(scene.api)).toEqual(await expectedCells(eventsOf(course), linksOf(course)));
    });
    await fc.assert(property, checks(RUNS));
  });

  it('is not affected by a rebuild of the results, even while events arrive', async () => {
    const rebuilds = scene.api.app.get(RebuildService, { strict: false });
    const property = fc.asyncProperty(linkedCourses, eventSets, linkSets, async (course, more, links) => {
      await clearResults(scene.api);
      for (const step of course) {
        await run(scene.api, step);
      }
      const late = more.map((event) => ({ ...event, event_id: `9${event.event_id}` }));
      const meanwhile = (async () => {
        for (let start = 0; start < late.length; start += 5) {
          await histories.store(late.slice(start, start + 5).map(asStored));
          await attributeAll(scene.api);
        }
        await histories.store([], links);
        await attributeAll(scene.api);
      })();
      await Promise.all([rebuilds.rebuild({}), meanwhile]);
      await attributeAll(scene.api);
      const expected = await expectedCells([...eventsOf(course), ...late], [...linksOf(course), ...links]);
      expect(await shownCells(scene.api)).toEqual(expected);
      await rebuilds.rebuild({ projectId: scene.world.projectId });
      expect(await shownCells(scene.api)).toEqual(expected);
    });
    await fc.assert(property, checks(RUNS));
  });

  it('subtracts counts by the rules that added them, even if the rules change', async () => {
    const rebuilds = scene.api.app.get(RebuildService, { strict: false });
    const attributor = scene.api.app.get(Attributor, { strict: false });
    const changing = fc
      .tuple(
        linkedCourses,
        fc.array(courseMaps, { minLength: 1, maxLength: 4 }),
        fc.array(fc.nat(20), { minLength: 4, maxLength: 4 }),
      )
      .map(([course, changes, places]) => {
        const steps = [...course];
        changes.forEach((map, index) =>
          steps.splice(places[index] % steps.length, 0, { kind: 'change', courses: map }),
        );
        return steps;
      });
    const property = fc.asyncProperty(changing, readings, async (course, reading) => {
      await clearResults(scene.api);
      for (const step of course) {
        await (step.kind === 'attribute' ? attributor.drain() : run(scene.api, step));
        await rebuilds.follow();
      }
      await attributeAll(scene.api);
      const expected = await expectedCells(eventsOf(course), linksOf(course));
      expect(await shownCells(scene.api)).toEqual(expected);
      const results = await resultsOf(scene.api, reading);
      await rebuilds.rebuild({});
      expect(await shownCells(scene.api)).toEqual(expected);
      expect(await resultsOf(scene.api, reading)).toEqual(results);
    });
    await fc.assert(property, checks(RUNS));
  });

  it('leaves one generation of cells, and runs one rebuild at a time', async () => {
    const rebuilds = scene.api.app.get(RebuildService, { strict: false });
    await Promise.allSettled([rebuilds.rebuild({}), rebuilds.rebuild({})]);
    await rebuilds.rebuild({ experimentId: ids.get(1) });
    await rebuilds.rebuild({});
    for (const table of ['result_cells', 'entry_cells']) {
      const left: unknown[] = await scene.api.database.read.query(
        `SELECT 1 FROM ${table} c JOIN experiment_results r ON r.experiment_id = c.experiment_id
          WHERE c.generation <> r.generation`,
      );
      expect([table, left]).toEqual([table, []]);
    }
  });
});

describe('two servers with a worker each', () => {
  it('compute the same cells as one server', async () => {
    await clearResults(scene.api);
    const key = (await scene.client.get(scene.project)).body.client_key as string;
    const { api_name: goal } = (await scene.client.get(`${scene.project}/goals/${ids.get(11)}`)).body;
    const servers = await Promise.all([1, 2].map(() => scene.api.sibling({ WORKER: 'inline' })));
    const visitors = [...Array(60).keys()].map(() => randomUUID());
    const deliver = async (server: TestApi, round: number): Promise<void> => {
      const batch = visitors.flatMap((visitor, index) => [
        exposure(visitor, ids.get(1)!, ids.get(100 + ((index + round) % 3))!),
        conversion(visitor, goal, round + index / 10),
      ]);
      expect((await send(server, key, batch)).body.accepted).toBe(batch.length);
    };
    await Promise.all([...Array(12).keys()].map((round) => deliver(servers[round % 2], round)));
    await Promise.all(servers.map((server) => server.close()));
    await attributeAll(scene.api);
    const incremental = await shownCells(scene.api);
    const converters = incremental.filter((cell) => cell.includes(`goal_id=${ids.get(11)} `));
    const sum = (name: string): number =>
      converters.reduce((total, cell) => total + Number(new RegExp(`${name}=(-?\\d+)`).exec(cell)?.[1]), 0);
    expect([sum('converters'), sum('conversions')]).toEqual([60, 720]);
    await scene.api.app.get(RebuildService, { strict: false }).rebuild({});
    expect(await shownCells(scene.api)).toEqual(incremental);
  });
});
