import type { AuditRetention } from '../audit/audit-retention';
import type { RecentEventsService } from '../events/recent/recent-events.service';
import type { LeftoverCells } from '../events/rebuild.service';
import type { IdempotencyKeys } from '../platform/idempotency/idempotency-keys';
import type { DeletedCopies } from '../publishing/deleted-copies';
import type { Sessions } from '../users/sessions';
import type { DeliveryStore } from '../webhooks/delivery.store';
import { TrashCollector } from './trash-collector';
import type { TrashService } from './trash.service';

const MINUTE = 60_000;

describe('expired data', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('is removed soon after the start and then every hour, until the server stops', async () => {
    const purgeExpired = jest.fn().mockResolvedValue([]);
    const [remove, removeCopies, forgetPurged] = [jest.fn(), jest.fn(), jest.fn()].map((mock) =>
      mock.mockResolvedValue(undefined),
    );
    const collector = new TrashCollector(
      { purgeExpired } as Partial<TrashService> as TrashService,
      { purgeExpired: jest.fn().mockResolvedValue(undefined) } as Partial<IdempotencyKeys> as IdempotencyKeys,
      { purgeExpired: jest.fn().mockResolvedValue(undefined) } as Partial<Sessions> as Sessions,
      {
        forgetAddresses: jest.fn().mockResolvedValue(undefined),
      } as Partial<AuditRetention> as AuditRetention,
      { purge: jest.fn().mockResolvedValue(undefined) } as Partial<DeliveryStore> as DeliveryStore,
      { remove } as Partial<LeftoverCells> as LeftoverCells,
      { remove: removeCopies } as Partial<DeletedCopies> as DeletedCopies,
      { forgetPurged } as Partial<RecentEventsService> as RecentEventsService,
    );
    collector.onApplicationBootstrap();
    const timesAfter = async (minutes: number): Promise<number> => {
      await jest.advanceTimersByTimeAsync(minutes * MINUTE);
      return purgeExpired.mock.calls.length;
    };
    expect(await timesAfter(1)).toBe(0);
    expect(await timesAfter(5)).toBe(1);
    expect(await timesAfter(60)).toBe(2);
    expect(remove).toHaveBeenCalledTimes(2);
    expect(removeCopies).toHaveBeenCalledTimes(2);
    expect(forgetPurged).toHaveBeenCalledTimes(2);
    await collector.onModuleDestroy();
    expect(await timesAfter(120)).toBe(2);
  });
});
