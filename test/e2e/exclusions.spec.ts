import fc from 'fast-check';
import { RebuildCounts } from '../../src/events/attribution-steps';
import { Attributor } from '../../src/events/attributor';
import { EventStore } from '../../src/events/event.store';
import { ExclusionStore } from '../../src/events/exclusions/exclusion.store';
import { ExclusionsService } from '../../src/events/exclusions/exclusions.service';
import { RebuildService } from '../../src/events/rebuild.service';
import { attributeAll, conversion, exposure, send, shownCells, storedEvents } from '../support/events';
import { cellsOf, figuresOf } from '../support/ledger';
import { Made, useScene } from '../support/scene';

/* Excluded visitors: results are the same to the last digit as if they had never come. */

const scene = useScene();
const VISITORS = 12;
const service = (): ExclusionsService => scene.api.app.get(ExclusionsService, { strict: false });
const rebuilds = (): RebuildService => scene.api.app.get(RebuildService, { strict: false });
const nameOf = (number: number): string => `visitor-${String(number).padStart(2, '0')}`;

let key: string;
let experiments: Made[];

beforeAll(async () => {
  key = (await scene.client.get(scene.project)).body.client_key as string;
  await scene.make.goal({ name: 'Sale', value_type: 'revenue' });
  experiments = [await scene.make.withStatus('running'), await scene.make.withStatus('running')];
  for (let number = 0; number < VISITORS; number += 1) {
    expect((await sendFor(number)).body.accepted).toBe(4);
  }
  await attributeAll(scene.api);
});

/** The events of a visitor: takes part in both experiments, returns in another variation, and buys. */
function sendFor(number: number) {
  const [first, second] = experiments;
  const visitor = nameOf(number);
  return send(scene.api, key, [
    exposure(visitor, first.id, first.variations[number % 2].id),
    exposure(visitor, second.id, second.variations[0].id),
    conversion(visitor, 'sale', number + 0.0001),
    exposure(visitor, first.id, first.variations[0].id),
  ]);
}

const scopeOf = (numbers: readonly number[], experimentId: number | null = null) => ({
  projectId: scene.world.projectId,
  experimentId,
  criteria: { ids: numbers.map(nameOf) },
});

const openExclusions = async () =>
  (await service().list(scene.world.projectId)).filter(({ undone_at }) => undone_at === null);

interface State {
  cells: string[];
  spans: unknown;
}

async function shown(): Promise<State> {
  const spans: Record<string, unknown>[] = await scene.api.database.read.query(
    'SELECT experiment_id, first_event_at, last_event_at FROM experiment_results ORDER BY experiment_id',
  );
  return { cells: await shownCells(scene.api), spans: spans.map((span) => Object.values(span).map(String)) };
}

/** The results after a rebuild. */
async function rebuilt(): Promise<State> {
  await rebuilds().rebuild({});
  return shown();
}

/** Participants by experiment, from the API. */
async function participants(): Promise<number[]> {
  const counts = experiments.map(async ({ path }) => {
    const { status, body } = await scene.client.get(`${path}/results/info`);
    expect(status).toBe(200);
    return body.participants as number;
  });
  return Promise.all(counts);
}

describe('an exclusion of visitors', () => {
  it('removes them from results and adds them again, to the last digit and with another ETag', async () => {
    const results = `${experiments[0].path}/results`;
    const before = await shown();
    const tag = (await scene.client.get(results)).headers.etag;
    // The first and the last visitor determine the time range of the results.
    const scope = scopeOf([0, 3, 4, 11]);
    expect(await service().count(scope)).toBe(4);
    expect(await shown()).toEqual(before);

    const exclusion = await service().exclude(scope, 4);
    expect(exclusion).toMatchObject({ visitors: 4, criteria: { ids: 4 }, undone_at: null });
    expect(await participants()).toEqual([8, 8]);
    const excluded = await shown();
    expect(excluded.spans).not.toEqual(before.spans);
    expect((await scene.client.get(results)).headers.etag).not.toBe(tag);
    expect(await rebuilt()).toEqual(excluded);

    expect(await service().include(exclusion.id)).toMatchObject({ undone_at: expect.any(String) });
    expect(await shown()).toEqual(before);
    expect(await rebuilt()).toEqual(before);
  });

  it('may cover one experiment, and stores later events of these visitors without counting them', async () => {
    const before = await shown();
    const exclusion = await service().exclude(scopeOf([5], experiments[1].id), 1);
    expect(await participants()).toEqual([12, 11]);
    const stored = (await storedEvents(scene.api)).length;
    expect((await sendFor(5)).body.accepted).toBe(4);
    await attributeAll(scene.api);
    expect((await storedEvents(scene.api)).length).toBe(stored + 4);
    expect(await participants()).toEqual([12, 11]);
    const [second] = (await shown()).cells.filter((cell) =>
      cell.startsWith(`experiment_id=${experiments[1].id} `),
    );
    expect(second).toBeDefined();
    await service().include(exclusion.id);
    expect(await participants()).toEqual([12, 12]);
    // Events that arrived in the meantime count now.
    expect(await shown()).not.toEqual(before);
    expect(await rebuilt()).toEqual(await shown());
  });

  it('selects by the time of the first exposure', async () => {
    const times = (await storedEvents(scene.api)).filter(({ experiment_id }) => experiment_id !== null);
    const firstOf = (number: number): number =>
      Math.min(
        ...times
          .filter(({ visitor_id }) => visitor_id === nameOf(number))
          .map(({ occurred_at }) => occurred_at),
      );
    const { projectId } = scene.world;
    const count = (from: number | null, until: number | null): Promise<number> =>
      service().count({ projectId, experimentId: null, criteria: { from, until } });
    expect(await count(null, null)).toBe(VISITORS);
    expect(await count(firstOf(3), null)).toBe(VISITORS - 3);
    expect(await count(firstOf(3), firstOf(6))).toBe(3);
    expect(await count(null, firstOf(6))).toBe(6);
  });

  it('stays active while another one of the same visitor is undone', async () => {
    const [a, b] = [await service().exclude(scopeOf([1, 2]), 2), await service().exclude(scopeOf([2, 3]), 2)];
    expect(await participants()).toEqual([9, 9]);
    await service().include(a.id);
    expect(await participants()).toEqual([10, 10]);
    await service().include(b.id);
    expect(await participants()).toEqual([12, 12]);
  });

  it('resumes after an interruption', async () => {
    const before = await shown();
    const broken = new Error('killed');
    const stop = (): never => {
      throw broken;
    };
    await expect(service().exclude(scopeOf([6, 7]), 2, stop)).rejects.toBe(broken);
    const exclusion = await service().exclude(scopeOf([6, 7]), 2);
    expect(await participants()).toEqual([10, 10]);
    const open = await service().list(scene.world.projectId);
    expect(open.filter(({ undone_at }) => undone_at === null)).toEqual([exclusion]);
    await service().include(exclusion.id);
    expect(await shown()).toEqual(before);
  });

  it('is complete if another rebuild takes over the one for the time range', async () => {
    const before = await shown();
    const counts = scene.api.app.get(RebuildCounts, { strict: false });
    const transaction = counts.transaction.bind(counts);
    const taken = jest.spyOn(counts, 'transaction').mockImplementationOnce(async (work) => {
      await rebuilds().rebuild({});
      return transaction(work);
    });
    const exclusion = await service().exclude(scopeOf([0]), 1);
    taken.mockRestore();
    expect(exclusion).toMatchObject({ finished_at: expect.any(String) });
    const excluded = await shown();
    expect(excluded.spans).not.toEqual(before.spans);
    expect(await rebuilt()).toEqual(excluded);
    await service().include(exclusion.id);
    expect(await shown()).toEqual(before);
  });

  it('stays undone if another command undoes it while it excludes visitors', async () => {
    const before = await shown();
    let undone: unknown;
    const undo = jest.spyOn(Attributor.prototype, 'drain').mockImplementationOnce(async () => {
      const [open] = await openExclusions();
      undone = await service().include(open.id);
    });
    await expect(service().exclude(scopeOf([9]), 1)).rejects.toThrow('has been undone by another command');
    undo.mockRestore();
    expect(undone).toMatchObject({ undone_at: expect.any(String) });
    expect(await openExclusions()).toEqual([]);
    expect(await shown()).toEqual(before);
  });

  it('gets no visitors once it is undone', async () => {
    const before = await shown();
    const exclusions = scene.api.app.get(ExclusionStore, { strict: false });
    const find = exclusions.exposedAmong.bind(exclusions);
    const found = jest.spyOn(exclusions, 'exposedAmong').mockImplementationOnce(async (...given) => {
      const [open] = await openExclusions();
      const undone = await service().include(open.id);
      expect(undone).toMatchObject({ undone_at: expect.any(String) });
      return find(...given);
    });
    await expect(service().exclude(scopeOf([9, 10]), 2)).rejects.toThrow(
      'has been undone by another command',
    );
    found.mockRestore();
    const left: unknown[] = await scene.api.database.read.query('SELECT 1 FROM excluded_visitors');
    expect(left).toEqual([]);
    expect(await shown()).toEqual(before);
  });

  it('is undone with the visitors that it gets in the meantime', async () => {
    const before = await shown();
    const stop = (): never => {
      throw new Error('killed');
    };
    await expect(service().exclude(scopeOf([9]), 1, stop)).rejects.toThrow('killed');
    const [{ id }] = await openExclusions();
    const store = scene.api.app.get(ExclusionStore, { strict: false });
    const events = scene.api.app.get(EventStore, { strict: false });
    const open = (await store.findById(scene.api.database.read, id))!;
    const late = jest.spyOn(Attributor.prototype, 'drain').mockImplementationOnce(() =>
      scene.api.database.transaction(async (tx) => {
        const visitor_id = nameOf(10);
        await events.markVisitors(tx, [{ project_id: scene.world.projectId, visitor_id }]);
        await store.addVisitors(tx, open, [visitor_id]);
      }),
    );
    expect(await service().include(id)).toMatchObject({ undone_at: expect.any(String) });
    late.mockRestore();
    expect(await scene.api.database.read.query('SELECT 1 FROM excluded_visitors')).toEqual([]);
    expect(await shown()).toEqual(before);
  });

  it('is not resumed if another command undoes it in the meantime', async () => {
    const before = await shown();
    const stop = (): never => {
      throw new Error('killed');
    };
    await expect(service().exclude(scopeOf([9]), 1, stop)).rejects.toThrow('killed');
    const store = scene.api.app.get(ExclusionStore, { strict: false });
    const open = (await store.findById(scene.api.database.read, (await openExclusions())[0].id))!;
    await service().include(open.id);
    const read = jest.spyOn(store, 'findOpen').mockResolvedValueOnce(open);
    const exclusion = await service().exclude(scopeOf([9]), 1);
    read.mockRestore();
    expect((await openExclusions()).map(({ id }) => id)).toEqual([exclusion.id]);
    expect(exclusion.id).not.toBe(open.id);
    await service().include(exclusion.id);
    expect(await shown()).toEqual(before);
  });

  it('leaves no trace if it is undone before the results are updated', async () => {
    const before = await shown();
    await expect(
      service().exclude(scopeOf([8]), 1, () => {
        throw new Error('killed');
      }),
    ).rejects.toThrow('killed');
    const [open] = (await service().list(scene.world.projectId)).filter(
      ({ undone_at }) => undone_at === null,
    );
    await service().include(open.id);
    expect(await shown()).toEqual(before);
    const left: unknown[] = await scene.api.database.read.query('SELECT 1 FROM excluded_visitors');
    expect(left).toEqual([]);
  });

  it('leaves the results of the other visitors, in any order with events and rebuilds', async () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('exclude' as const), number: fc.integer({ min: 0, max: VISITORS - 1 }) }),
      fc.record({ kind: fc.constant('include' as const), number: fc.integer({ min: 0, max: 5 }) }),
      fc.record({ kind: fc.constant('events' as const), number: fc.integer({ min: 0, max: VISITORS - 1 }) }),
      fc.record({ kind: fc.constant('rebuild' as const), number: fc.constant(0) }),
    );
    const property = fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 8 }), async (steps) => {
      const made: { id: number; number: number }[] = [];
      for (const { kind, number } of steps) {
        if (kind === 'exclude') {
          made.push({ id: (await service().exclude(scopeOf([number]), 1)).id, number });
        } else if (kind === 'include' && made.length > 0) {
          const [undone] = made.splice(number % made.length, 1);
          await service().include(undone.id);
        } else if (kind === 'events') {
          await sendFor(number);
        } else if (kind === 'rebuild') {
          await rebuilds().rebuild({});
        }
      }
      await attributeAll(scene.api);
      const left = new Set(made.map(({ number }) => nameOf(number)));
      expect((await shownCells(scene.api)).map(figuresOf).sort()).toEqual(await expectedWithout(left));
      for (const { id } of made) {
        await service().include(id);
      }
      expect((await shownCells(scene.api)).map(figuresOf).sort()).toEqual(await expectedWithout(new Set()));
    });
    await fc.assert(property, { numRuns: 8, endOnFailure: true });
  }, 120_000);
});

/** The cells that result from the events of all but these visitors. */
async function expectedWithout(excluded: ReadonlySet<string>): Promise<string[]> {
  const rows = (await storedEvents(scene.api)).filter(({ visitor_id }) => !excluded.has(visitor_id));
  return cellsOf(rows);
}
