import { setTimeout as sleep } from 'node:timers/promises';
import { RebuildCounts } from '../../src/events/attribution-steps';
import { Attributor } from '../../src/events/attributor';
import { EventStore } from '../../src/events/event.store';
import { ExclusionStore } from '../../src/events/exclusions/exclusion.store';
import { ProjectVersionsStore } from '../../src/projects/project-versions.store';
import { nameOf, useExclusions } from '../support/exclusions';
import { signal } from '../support/signal';

/* Other commands undo an exclusion or rebuild results while the exclusion is being made. */

/** Long enough for an exclusion to finish if it does not wait for the other rebuild. */
const WAITED_MS = 1_000;

const { scene, service, rebuilds, scopeOf, openExclusions, shown, rebuilt } = useExclusions();

afterEach(() => jest.restoreAllMocks());

describe('an exclusion of visitors', () => {
  it('is complete if another rebuild takes over the rebuild of the time range', async () => {
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

  it('locks its project before it adds an audit entry, so that entries become visible in the order of their ids', async () => {
    const lock = jest.spyOn(ProjectVersionsStore.prototype, 'lock');
    const scope = scopeOf([0]);
    const { id } = await service().exclude(scope, 1);
    const locked = [expect.anything(), scope.projectId];
    expect(lock.mock.calls).toEqual([locked]);
    await service().include(id);
    expect(lock.mock.calls).toEqual([locked, locked]);
  });

  /** Makes another rebuild take over and stop before its first step. @returns `goOn`, which resumes it */
  function takenOver(): { isTaken: Promise<void>; other: Promise<unknown>; goOn: () => void } {
    const counts = scene.api.app.get(RebuildCounts, { strict: false });
    const transaction = counts.transaction.bind(counts);
    const [taken, held, begun] = [signal(), signal(), signal()];
    jest
      .spyOn(counts, 'transaction')
      .mockImplementationOnce(async (work) => {
        begun.give();
        await taken.given;
        return transaction(work);
      })
      .mockImplementationOnce(async (work) => {
        taken.give();
        await held.given;
        return transaction(work);
      });
    const other = begun.given.then(() => rebuilds().rebuild({}));
    return { isTaken: taken.given, other, goOn: held.give };
  }

  it('is complete once the rebuild that has taken over is complete', async () => {
    const before = await shown();
    const { isTaken, other, goOn } = takenOver();
    const excluding = service()
      .exclude(scopeOf([0]), 1)
      .then(async ({ id }) => ({ id, state: await shown() }));
    await isTaken;
    await sleep(WAITED_MS);
    goOn();
    await other;
    const { id, state } = await excluding;
    expect(state.spans).not.toEqual(before.spans);
    expect(await rebuilt()).toEqual(state);
    await service().include(id);
    expect(await shown()).toEqual(before);
  });

  it('continues if the rebuild that has taken over is interrupted', async () => {
    const before = await shown();
    jest.replaceProperty(rebuilds(), 'stalledAfterMs', WAITED_MS);
    const { other, goOn } = takenOver();
    const interrupted = expect(other).rejects.toThrow('The rebuild was taken over or cancelled');
    const exclusion = await service().exclude(scopeOf([0]), 1);
    const excluded = await shown();
    expect(excluded.spans).not.toEqual(before.spans);
    goOn();
    await interrupted;
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

  it('gets no more visitors once it is undone', async () => {
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

  it('is undone together with visitors that it gets in the meantime', async () => {
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
});
