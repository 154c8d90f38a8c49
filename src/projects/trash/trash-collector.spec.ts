import type { AuditRetention } from '../../audit/audit-retention';
import type { RecentEventsService } from '../../events/recent/recent-events.service';
import type { LeftoverCells } from '../../events/leftover-cells';
import type { IdempotencyKeys } from '../../platform/idempotency/idempotency-keys';
import type { DeletedCopies } from '../../publishing/deleted-copies';
import type { Sessions } from '../../users/sessions';
import type { DeliveryStore } from '../../webhooks/delivery.store';
import { TrashCollector } from './trash-collector';
import type { TrashService } from './trash.service';

const MINUTE = 60_000;

describe('expired data', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  const done = (): jest.Mock => jest.fn().mockResolvedValue(undefined);
  const part = <T>(methods: Partial<T>): T => methods as T;

  /** A collector whose parts do nothing, unless a test replaces them. */
  function collectorWith(
    mocks: Partial<Record<'trash' | 'keys' | 'cells' | 'copies' | 'recent', jest.Mock>>,
  ) {
    const { trash = jest.fn().mockResolvedValue([]), keys = done(), cells = done() } = mocks;
    const { copies = done(), recent = done() } = mocks;
    return new TrashCollector(
      part<TrashService>({ purgeExpired: trash }),
      part<IdempotencyKeys>({ purgeExpired: keys }),
      part<Sessions>({ purgeExpired: done() }),
      part<AuditRetention>({ forgetAddresses: done() }),
      part<DeliveryStore>({ purge: done() }),
      part<LeftoverCells>({ remove: cells }),
      part<DeletedCopies>({ remove: copies }),
      part<RecentEventsService>({ forgetPurged: recent }),
    );
  }

  it('is removed soon after the start and then every hour, until the server stops', async () => {
    const trash = jest.fn().mockResolvedValue([]);
    const [cells, copies, recent] = [done(), done(), done()];
    const collector = collectorWith({ trash, cells, copies, recent });
    collector.onApplicationBootstrap();
    const timesAfter = async (minutes: number): Promise<number> => {
      await jest.advanceTimersByTimeAsync(minutes * MINUTE);
      return trash.mock.calls.length;
    };
    expect(await timesAfter(1)).toBe(0);
    expect(await timesAfter(5)).toBe(1);
    expect(await timesAfter(60)).toBe(2);
    [cells, copies, recent].forEach((mock) => expect(mock).toHaveBeenCalledTimes(2));
    await collector.onModuleDestroy();
    expect(await timesAfter(120)).toBe(2);
  });

  it('is removed no further when the server stops, which waits for the current part', async () => {
    const order: string[] = [];
    let finish = (): void => undefined;
    const keys = jest.fn().mockImplementation(async () => {
      await new Promise<void>((resolve) => (finish = resolve));
      order.push('finished');
    });
    const trash = jest.fn().mockResolvedValue([]);
    const collector = collectorWith({ trash, keys });
    collector.onApplicationBootstrap();
    await jest.advanceTimersByTimeAsync(5 * MINUTE);
    const stopped = collector.onModuleDestroy().then(() => order.push('stopped'));
    await jest.advanceTimersByTimeAsync(1);
    finish();
    await stopped;
    expect(order).toEqual(['finished', 'stopped']);
    expect(trash).not.toHaveBeenCalled();
  });
});
