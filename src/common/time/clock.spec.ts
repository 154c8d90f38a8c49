import fc from 'fast-check';
import { dayOf, formatDay, formatMicros, formatOptionalMicros, nowMicros, parseDay } from './clock';

/** The maximum drift between the two clocks in milliseconds, plus 1 because `Date` has only whole milliseconds. */
const DRIFT_MS = 6;

describe('formatMicros', () => {
  it.each([
    [1_777_627_800_123_000, '2026-05-01T09:30:00.123000Z'],
    [1_777_627_800_000_001, '2026-05-01T09:30:00.000001Z'],
    [0, '1970-01-01T00:00:00.000000Z'],
  ])('formats %d', (micros, text) => expect(formatMicros(micros)).toBe(text));

  it('formats all times like `Date`, with three more digits', () => {
    const times = fc.integer({ min: Date.parse('1900-01-01'), max: Date.parse('2250-01-01') });
    fc.assert(
      fc.property(times, fc.nat(999), (millis, rest) => {
        const text = `${new Date(millis).toISOString().slice(0, -1)}${String(rest).padStart(3, '0')}Z`;
        expect(formatMicros(millis * 1000 + rest)).toBe(text);
      }),
      { numRuns: 3_000 },
    );
  });

  it('returns null for null', () => expect(formatOptionalMicros(null)).toBeNull());
});

describe('nowMicros', () => {
  const PAUSE_MS = 50;

  afterEach(() => jest.restoreAllMocks());

  function expectNow(): void {
    const earliest = Date.now() - DRIFT_MS;
    const now = nowMicros() / 1000;
    expect(now).toBeGreaterThanOrEqual(earliest);
    expect(now).toBeLessThanOrEqual(Date.now() + DRIFT_MS);
  }

  it('stays within milliseconds of the system clock, even when the clock is set', () => {
    expectNow();
    const later = Date.now() + 3_600_000;
    jest.spyOn(Date, 'now').mockReturnValue(later);
    expectNow();
    jest.restoreAllMocks();
    expectNow();
  });

  it('does not go back if the process is paused between two readings', () => {
    const [base, wall] = [performance.now(), Date.now()];
    const readings = [0, PAUSE_MS, PAUSE_MS, PAUSE_MS];
    jest.spyOn(performance, 'now').mockImplementation(() => base + (readings.shift() ?? PAUSE_MS));
    jest
      .spyOn(Date, 'now')
      .mockReturnValueOnce(wall)
      .mockReturnValue(wall + PAUSE_MS);
    const first = nowMicros();
    expect(nowMicros()).toBeGreaterThanOrEqual(first);
    expect(first / 1000).toBeGreaterThan(wall + PAUSE_MS - DRIFT_MS);
  });
});

describe('days', () => {
  it.each([
    ['1970-01-01', 0],
    ['1969-12-31', -1],
    ['2000-03-01', 11_017],
    ['2024-02-29', 19_782],
    ['2026-05-01', 20_574],
  ])('accepts %s', (text, day) => {
    expect(parseDay(text)).toBe(day);
    expect(formatDay(day)).toBe(text);
  });

  it.each([
    '2026-02-30',
    '2025-02-29',
    '2026-13-01',
    '2026-00-10',
    '2026-5-1',
    '20260501',
    'today',
    '',
    '2026-05-01T00:00:00Z',
  ])('finds no day in "%s"', (text) => expect(parseDay(text)).toBeNull());

  it('ends a day at its last microsecond', () => {
    expect([dayOf(86_399_999_999), dayOf(86_400_000_000), dayOf(-1)]).toEqual([0, 1, -1]);
  });
});
