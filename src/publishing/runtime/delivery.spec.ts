import { retryDelay } from './delivery';

const NOW = Date.UTC(2026, 4, 1);

describe('the delay before the next attempt', () => {
  it('doubles from one second to a minute', () => {
    const waits = [1, 2, 3, 4, 5, 6, 7, 50].map((failures) => retryDelay(failures, null, NOW, 1));
    expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
  });

  it('is random in the upper half of its range, so browsers do not all retry at the same moment', () => {
    expect([0, 0.5, 1].map((random) => retryDelay(3, null, NOW, random))).toEqual([2_000, 3_000, 4_000]);
  });

  it.each([
    ['30', 30_000],
    ['0', 1_000],
    [new Date(NOW + 20_000).toUTCString(), 20_000],
    [new Date(NOW - 20_000).toUTCString(), 1_000],
    ['86400', 3_600_000],
    ['soon', 1_000],
    ['', 1_000],
  ])('is at least the time in the Retry-After header, up to an hour: %j', (retryAfter, wait) => {
    expect(retryDelay(1, retryAfter, NOW, 1)).toBe(wait);
  });
});
