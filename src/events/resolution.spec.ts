import { occurredAt } from './resolution';

const HOUR = 3_600_000_000;
const at = (text: string): number => Date.parse(text) * 1000;

describe('occurredAt', () => {
  const received = at('2026-05-10T12:00:00Z');

  it('is the time of receipt if there is no timestamp', () =>
    expect(occurredAt(received, received - HOUR, null)).toBe(received));

  it("is the client's timestamp if the client does not send its current time", () =>
    expect(occurredAt(received, null, received - HOUR)).toBe(received - HOUR));

  it.each([-48 * HOUR, -HOUR, 0, HOUR, 365 * 24 * HOUR])(
    'corrects a clock that is off by %p µs',
    (offset) => {
      const sentAt = received + offset;
      expect(occurredAt(received, sentAt, sentAt - 5_000_000)).toBe(received - 5_000_000);
    },
  );

  it('is the time of receipt if the timestamp is in the future', () => {
    expect(occurredAt(received, received, received + HOUR)).toBe(received);
    expect(occurredAt(received, null, received + HOUR)).toBe(received);
  });

  it('is at most 72 hours ago', () => {
    expect(occurredAt(received, received, received - 73 * HOUR)).toBe(received - 72 * HOUR);
    expect(occurredAt(received, received, received - 71 * HOUR)).toBe(received - 71 * HOUR);
  });
});
