import { occurredAt, parseTimestamp } from './event-times';

const HOUR = 3_600_000_000;
const at = (text: string): number => Date.parse(text) * 1000;

describe('parseTimestamp', () => {
  it.each([
    ['2026-05-01T09:30:00Z', '2026-05-01T09:30:00.000Z'],
    ['2026-05-01T09:30:00.123Z', '2026-05-01T09:30:00.123Z'],
    ['2026-05-01T09:30:00.123456Z', '2026-05-01T09:30:00.123Z'],
    ['2026-05-01T09:30:00+02:00', '2026-05-01T07:30:00.000Z'],
    ['2026-05-01T09:30:00', '2026-05-01T09:30:00.000Z'],
    ['2026-05-01 09:30:00Z', '2026-05-01T09:30:00.000Z'],
    ['2026-05-01', '2026-05-01T00:00:00.000Z'],
    ['2024-02-29T23:59:59Z', '2024-02-29T23:59:59.000Z'],
  ])('reads %s', (text, expected) => expect(parseTimestamp(text)).toBe(at(expected)));

  it.each([
    '2026-02-30T00:00:00Z',
    '2026-02-30',
    '2025-02-29T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-05-01T25:00:00Z',
    'yesterday',
    '',
    '1746091800000',
    1_746_091_800_000,
    null,
    undefined,
    {},
    'May 1, 2026',
    '2026-05-01T09:30:00Z'.repeat(5),
  ])('refuses %p', (given) => expect(parseTimestamp(given)).toBeNull());
});

describe('occurredAt', () => {
  const received = at('2026-05-10T12:00:00Z');

  it('is now without a timestamp', () => expect(occurredAt(received, received - HOUR, null)).toBe(received));

  it('believes the client where it does not say when it sent', () =>
    expect(occurredAt(received, null, received - HOUR)).toBe(received - HOUR));

  it.each([-48 * HOUR, -HOUR, 0, HOUR, 365 * 24 * HOUR])(
    'corrects a clock that is off by %p µs',
    (offset) => {
      const sentAt = received + offset;
      expect(occurredAt(received, sentAt, sentAt - 5_000_000)).toBe(received - 5_000_000);
    },
  );

  it('takes nothing from the future', () => {
    expect(occurredAt(received, received, received + HOUR)).toBe(received);
    expect(occurredAt(received, null, received + HOUR)).toBe(received);
  });

  it('takes nothing for older than 72 hours', () => {
    expect(occurredAt(received, received, received - 73 * HOUR)).toBe(received - 72 * HOUR);
    expect(occurredAt(received, received, received - 71 * HOUR)).toBe(received - 71 * HOUR);
  });
});
