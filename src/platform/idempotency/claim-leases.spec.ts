import { ClaimLeases } from './claim-leases';
import type { IdempotencyKeys } from './idempotency-keys';

/** Work that ends when the test calls `finish`. */
function openWork(): { work: () => Promise<string>; finish: () => void } {
  let finish = (): void => undefined;
  const done = new Promise<string>((resolve) => (finish = () => resolve('done')));
  return { work: () => done, finish };
}

describe('ClaimLeases', () => {
  const renew = jest.fn<Promise<void>, [readonly number[]]>();
  let leases: ClaimLeases;

  beforeEach(() => {
    jest.useFakeTimers();
    renew.mockReset().mockResolvedValue(undefined);
    leases = new ClaimLeases({ renew } as unknown as IdempotencyKeys);
  });
  afterEach(() => jest.useRealTimers());

  const renewed = (): (readonly number[])[] => renew.mock.calls.map(([ids]) => ids);

  it('renews all claims together while their work is running, and none afterwards', async () => {
    const [first, second] = [openWork(), openWork()];
    const working = [leases.during(1, first.work), leases.during(2, second.work)];
    await jest.advanceTimersByTimeAsync(3_000);
    first.finish();
    await working[0];
    await jest.advanceTimersByTimeAsync(3_000);
    second.finish();
    await working[1];
    await jest.advanceTimersByTimeAsync(60_000);
    expect(renewed()).toEqual([[1, 2], [2]]);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('continues after a failed renewal', async () => {
    const { work, finish } = openWork();
    renew.mockRejectedValueOnce(new Error('no connection'));
    const working = leases.during(1, work);
    await jest.advanceTimersByTimeAsync(6_000);
    finish();
    expect(await working).toBe('done');
    expect(renewed()).toEqual([[1], [1]]);
  });

  it('stops renewing a claim whose work failed', async () => {
    await expect(leases.during(1, () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
    await jest.advanceTimersByTimeAsync(60_000);
    expect(renewed()).toEqual([]);
  });
});
