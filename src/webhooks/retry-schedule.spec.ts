import { readRetryAfter, RetrySchedule } from './retry-schedule';

const SECOND = 1_000_000;
const HOUR = 3_600 * SECOND;

describe('the attempts of a delivery', () => {
  const waits = (random: number, asked: number | null = null): number[] => {
    const schedule = new RetrySchedule();
    const all: number[] = [];
    for (let tries = 1; ; tries += 1) {
      const wait = schedule.waitAfter(tries, asked, random);
      if (wait === null) {
        return all;
      }
      all.push(wait);
    }
  };
  const sum = (all: number[]): number => all.reduce((total, wait) => total + wait, 0);

  it('are 8 within 24 hours, spread over most of the day', () => {
    for (const random of [0, 0.5, 1]) {
      expect(waits(random)).toHaveLength(7);
      expect(sum(waits(random))).toBeLessThanOrEqual(24 * HOUR);
      expect(sum(waits(random))).toBeGreaterThan(20 * HOUR);
    }
  });

  it('are delayed by less than 2.5 hours in total if every response asks for the longest Retry-After', () => {
    for (const random of [0, 0.5, 1]) {
      expect(sum(waits(random, HOUR)) - sum(waits(random))).toBeLessThan(2.5 * HOUR);
    }
  });

  it('have growing delays with random jitter', () => {
    const [shortest, longest] = [waits(0), waits(1)];
    shortest.slice(1).forEach((wait, index) => expect(wait).toBeGreaterThan(longest[index]));
    longest.forEach((wait, index) => expect(wait).toBeGreaterThan(shortest[index]));
  });

  it('respect Retry-After, but wait at least the usual delay and at most an hour', () => {
    const schedule = new RetrySchedule();
    expect(schedule.waitAfter(1, 120 * SECOND, 0)).toBe(120 * SECOND);
    expect(schedule.waitAfter(1, 48 * HOUR, 0)).toBe(HOUR);
    expect(schedule.waitAfter(5, SECOND, 0)).toBe(schedule.waitAfter(5, null, 0));
    expect(schedule.waitAfter(8, SECOND, 0)).toBeNull();
  });
});

describe('Retry-After', () => {
  const now = Date.parse('2026-05-01T09:30:00Z') * 1_000;

  it.each([
    [undefined, null],
    ['soon', null],
    ['120', 120 * SECOND],
    ['Fri, 01 May 2026 09:31:00 GMT', 60 * SECOND],
    ['Fri, 01 May 2026 09:29:00 GMT', 0],
  ])('%s is read as %s microseconds', (header, wait) => expect(readRetryAfter(header, now)).toBe(wait));
});
