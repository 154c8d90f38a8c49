import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { attribute } from '../../src/events/attribution';
import { Attributor } from '../../src/events/attributor';
import { CellChange, CellChanges } from '../../src/events/cell-changes';
import { CellStore } from '../../src/events/cell-store';
import { DefinitionStore } from '../../src/events/definitions';
import { EventWriter } from '../../src/events/event-writer';
import { RebuildService } from '../../src/events/rebuild.service';
import type { Database, Tx } from '../../src/database/database';
import type { TestApi } from '../support/api';
import { AnyEvent, withoutRepeats } from '../support/brute-force';
import { eventSets } from '../support/event-sets';
import { attributeAll, conversion, exposure, send, shownCells } from '../support/events';
import { Made, useScene } from '../support/scene';

const scene = useScene();
const RUNS = 40;

/** What the random events speak of, as it is in the database. */
const ids = new Map<number, number>();

beforeAll(async () => {
  const goals = [
    await scene.make.goal({ value_type: 'number' }),
    await scene.make.goal({ value_type: 'number' }),
  ];
  goals.forEach(({ id }, index) => ids.set(11 + index, id));
  for (const number of [1, 2]) {
    const variations = [{ name: 'A' }, { name: 'B' }, { name: 'C' }];
    const experiment = await scene.make.withStatus('running', { variations });
    ids.set(number, experiment.id);
    experiment.variations.forEach(({ id }: Made, index: number) => ids.set(number * 100 + index, id));
  }
});

const real = (id: number | null): number | null => (id === null ? null : (ids.get(id) ?? null));
const asStored = (event: AnyEvent): AnyEvent => ({
  ...event,
  experiment_id: real(event.experiment_id),
  variation_id: real(event.variation_id),
  goal_id: real(event.goal_id),
});

async function clear({ database }: TestApi): Promise<void> {
  await database.transaction(async (tx) => {
    for (const table of [
      'result_cells',
      'experiment_results',
      'collected_goals',
      'dirty_visitors',
      'events',
    ]) {
      await tx.query(`DELETE FROM ${table}`);
    }
  });
}

/** Stores events as collection does, whatever their time. */
async function store(api: TestApi, events: AnyEvent[]): Promise<void> {
  const { projectId } = scene.world;
  const [{ version }]: { version: number }[] = await api.database.read.query(
    'SELECT version FROM project_versions WHERE project_id = ?',
    [projectId],
  );
  const definitions = await api.app
    .get(DefinitionStore, { strict: false })
    .load(api.database.read, projectId, version);
  const writer = api.app.get(EventWriter, { strict: false });
  await api.database.transaction((tx) => writer.store(tx, [{ definitions, events }]));
}

/** An attributor that is cut off at the n-th statement of each transaction. */
function interrupted(api: TestApi, statements: number): Attributor {
  const { database } = api;
  const cutOff = (tx: Tx): Tx => {
    let left = statements;
    const query = (sql: string, parameters?: unknown[]): Promise<unknown> => {
      left -= 1;
      return left < 0 ? Promise.reject(new Error('cut off')) : tx.query(sql, parameters);
    };
    return { query } as unknown as Tx;
  };
  const faulty = {
    engine: database.engine,
    forUpdate: database.forUpdate,
    forUpdateSkippingLocked: database.forUpdateSkippingLocked,
    transaction: <T>(work: (tx: Tx) => Promise<T>) => database.transaction((tx) => work(cutOff(tx))),
  } as Database;
  return new Attributor(faulty, new CellStore(faulty));
}

const asText = (cell: CellChange): string =>
  `experiment_id=${cell.experiment_id} goal_id=${cell.goal_id} variation_id=${cell.variation_id} device=${cell.device} ` +
  `entry_day=${cell.entry_day} event_day=${cell.event_day} participants=${cell.participants} ` +
  `converters=${cell.converters} conversions=${cell.conversions} value=${cell.value} value_squared=${cell.value_squared}`;

/** The cells that the events come to, without a database. */
function expectedCells(events: readonly AnyEvent[]): string[] {
  const sums = new CellChanges();
  const once = withoutRepeats(events).map(asStored);
  for (const visitor of new Set(once.map(({ visitor_id }) => visitor_id))) {
    attribute(once.filter(({ visitor_id }) => visitor_id === visitor))
      .flatMap(({ contributions }) => contributions)
      .forEach((contribution) => sums.add(contribution));
  }
  return sums.list().map(asText).sort();
}

type Step = { kind: 'store'; events: AnyEvent[] } | { kind: 'attribute' } | { kind: 'crash'; after: number };

/** The events in any order, in batches of any size, some of them twice, with attribution and crashes in between. */
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

const eventsOf = (course: readonly Step[]): AnyEvent[] =>
  course.flatMap((step) => (step.kind === 'store' ? step.events : []));

async function run(api: TestApi, step: Step): Promise<void> {
  if (step.kind === 'store') {
    await store(api, step.events.map(asStored));
  } else if (step.kind === 'attribute') {
    await attributeAll(api);
  } else {
    await interrupted(api, step.after)
      .step(null)
      .catch(() => undefined);
  }
}

describe('attribution', () => {
  it('comes to the same cells in any order and batches, with repeats and crashes', async () => {
    const property = fc.asyncProperty(courses, async (course) => {
      await clear(scene.api);
      for (const step of course) {
        await run(scene.api, step);
      }
      await attributeAll(scene.api);
      expect(await shownCells(scene.api)).toEqual(expectedCells(eventsOf(course)));
    });
    await fc.assert(property, { numRuns: RUNS, endOnFailure: true });
  });

  it('is not changed by building the results anew, also while events come in', async () => {
    const rebuilds = scene.api.app.get(RebuildService, { strict: false });
    const property = fc.asyncProperty(courses, eventSets, async (course, more) => {
      await clear(scene.api);
      for (const step of course) {
        await run(scene.api, step);
      }
      const late = more.map((event) => ({ ...event, event_id: `9${event.event_id}` }));
      const meanwhile = (async () => {
        for (let start = 0; start < late.length; start += 5) {
          await store(scene.api, late.slice(start, start + 5).map(asStored));
          await attributeAll(scene.api);
        }
      })();
      await Promise.all([rebuilds.rebuild({}), meanwhile]);
      await attributeAll(scene.api);
      const expected = expectedCells([...eventsOf(course), ...late]);
      expect(await shownCells(scene.api)).toEqual(expected);
      await rebuilds.rebuild({ projectId: scene.world.projectId });
      expect(await shownCells(scene.api)).toEqual(expected);
    });
    await fc.assert(property, { numRuns: RUNS, endOnFailure: true });
  });

  it('leaves one generation of cells, and one rebuild at a time', async () => {
    const rebuilds = scene.api.app.get(RebuildService, { strict: false });
    await Promise.allSettled([rebuilds.rebuild({}), rebuilds.rebuild({})]);
    await rebuilds.rebuild({ experimentId: ids.get(1) });
    await rebuilds.rebuild({});
    const left: unknown[] = await scene.api.database.read.query(
      `SELECT 1 FROM result_cells c JOIN experiment_results r ON r.experiment_id = c.experiment_id
        WHERE c.generation <> r.generation`,
    );
    expect(left).toEqual([]);
  });
});

describe('two servers with a worker each', () => {
  it('come to the same cells as one', async () => {
    await clear(scene.api);
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
