import fc from 'fast-check';
import { Attributor } from '../../src/events/attributor';
import { attributeAll, shownCells, storedEvents } from '../support/events';
import { cellsOf, figuresOf } from '../support/ledger';
import { nameOf, useExclusions, VISITORS } from '../support/exclusions';

/* Excluded visitors: results are as if these visitors had never visited, to the last digit. */

const {
  scene,
  service,
  rebuilds,
  experiments,
  sendFor,
  scopeOf,
  openExclusions,
  shown,
  rebuilt,
  participants,
} = useExclusions();

describe('an exclusion of visitors', () => {
  it('removes visitors from results and adds them again, to the last digit, each time with a new ETag', async () => {
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

  it('can be limited to one experiment, and later events of these visitors are stored without being counted', async () => {
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
    // Events that arrived during the exclusion now count.
    expect(await shown()).not.toEqual(before);
    expect(await rebuilt()).toEqual(await shown());
  });

  it('selects visitors by the time of their first exposure', async () => {
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

  it('stays active when another exclusion of the same visitor is undone', async () => {
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

  it.each([
    ['before', false],
    ['after', true],
  ])('resumes after an interrupted undo that began %s the results were updated', async (_, isApplied) => {
    const before = await shown();
    const interrupted = async (work: () => Promise<unknown>): Promise<void> => {
      const drain = jest.spyOn(Attributor.prototype, 'drain').mockRejectedValueOnce(new Error('killed'));
      await expect(work()).rejects.toThrow('killed');
      drain.mockRestore();
    };
    await interrupted(() => service().exclude(scopeOf([6, 7]), 2));
    const [open] = await openExclusions();
    if (isApplied) {
      await attributeAll(scene.api);
    }
    await interrupted(() => service().include(open.id));
    const exclusion = await service().exclude(scopeOf([6, 7]), 2);
    expect(exclusion).toMatchObject({ id: open.id, visitors: 2 });
    expect(await participants()).toEqual([10, 10]);
    expect(await rebuilt()).toEqual(await shown());
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

  it('does not change the results of other visitors, whatever the order of exclusions, events and rebuilds', async () => {
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

/** Computes the cells from the events of all other visitors. */
async function expectedWithout(excluded: ReadonlySet<string>): Promise<string[]> {
  const rows = (await storedEvents(scene.api)).filter(({ visitor_id }) => !excluded.has(visitor_id));
  return cellsOf(rows);
}
