import { formatMicros, formatOptionalMicros, nowMicros } from './clock';

describe('formatMicros', () => {
  it.each([
    [1_777_627_800_123_000, '2026-05-01T09:30:00.123000Z'],
    [1_777_627_800_000_001, '2026-05-01T09:30:00.000001Z'],
    [0, '1970-01-01T00:00:00.000000Z'],
  ])('formats %d', (micros, text) => expect(formatMicros(micros)).toBe(text));

  it('keeps an absent moment absent', () => expect(formatOptionalMicros(null)).toBeNull());
});

describe('nowMicros', () => {
  it('follows the system clock to the millisecond and when it is set', () => {
    expect(Math.abs(nowMicros() / 1000 - Date.now())).toBeLessThan(20);
    const later = Date.now() + 3_600_000;
    jest.spyOn(Date, 'now').mockReturnValue(later);
    expect(Math.abs(nowMicros() / 1000 - later)).toBeLessThan(20);
    jest.restoreAllMocks();
    expect(Math.abs(nowMicros() / 1000 - Date.now())).toBeLessThan(20);
  });
});
