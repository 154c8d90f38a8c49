import { dayOf, formatDay, parseDay } from './days';

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

  it('ends a day with its last microsecond', () => {
    expect([dayOf(86_399_999_999), dayOf(86_400_000_000), dayOf(-1)]).toEqual([0, 1, -1]);
  });
});
