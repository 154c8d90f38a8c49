import { FixedWindowCounter, WINDOW_MS } from './fixed-window';

describe('FixedWindowCounter', () => {
  const start = 1_700_000_000_000;
  let now: number;
  let counter: FixedWindowCounter;

  beforeEach(() => {
    now = start;
    counter = new FixedWindowCounter(() => now, 3);
  });

  it('counts the hits of a key in one window of a minute', () => {
    expect(counter.hit('user:1')).toEqual({ hits: 1, resetAt: start + 60_000 });
    now += 59_999;
    expect(counter.hit('user:1')).toEqual({ hits: 2, resetAt: start + 60_000 });
  });

  it('begins a new window the moment the old one ends', () => {
    counter.hit('user:1');
    now += WINDOW_MS;
    expect(counter.hit('user:1')).toEqual({ hits: 1, resetAt: start + 2 * WINDOW_MS });
  });

  it('counts every key by itself', () => {
    counter.hit('user:1');
    expect(counter.hit('address:203.0.113.7').hits).toBe(1);
  });

  it('returns a state that later hits do not change', () => {
    const first = counter.hit('user:1');
    counter.hit('user:1');
    expect(first.hits).toBe(1);
  });

  it('opens a new window when the clock is set back, instead of blocking until the old end', () => {
    counter.hit('user:1');
    now -= 3_600_000;
    expect(counter.hit('user:1')).toEqual({ hits: 1, resetAt: now + WINDOW_MS });
  });

  describe('refund', () => {
    it('takes one hit back', () => {
      counter.hit('user:1');
      const { resetAt } = counter.hit('user:1');
      expect(counter.refund('user:1', resetAt)).toBe(true);
      expect(counter.hit('user:1').hits).toBe(2);
    });

    it('does not go below zero and keeps the window', () => {
      const { resetAt } = counter.hit('user:1');
      expect(counter.refund('user:1', resetAt)).toBe(true);
      expect(counter.refund('user:1', resetAt)).toBe(false);
      now += 1_000;
      expect(counter.hit('user:1')).toEqual({ hits: 1, resetAt });
    });

    it('leaves a later window alone', () => {
      const { resetAt } = counter.hit('user:1');
      now += WINDOW_MS;
      counter.hit('user:1');
      expect(counter.refund('user:1', resetAt)).toBe(false);
      expect(counter.hit('user:1').hits).toBe(2);
    });

    it('does nothing once the window is over, or for a key it has never seen', () => {
      const { resetAt } = counter.hit('user:1');
      now += WINDOW_MS;
      expect(counter.refund('user:1', resetAt)).toBe(false);
      expect(counter.refund('user:2', resetAt)).toBe(false);
    });
  });

  describe('memory', () => {
    it('forgets the oldest windows beyond the most it may hold', () => {
      for (const key of ['a', 'b', 'c', 'd']) {
        counter.hit(key);
        now += 1;
      }
      expect(counter.size).toBe(3);
      expect(counter.hit('b').hits).toBe(2);
      expect(counter.hit('a').hits).toBe(1);
    });

    it('counts a window as young again once it was opened anew', () => {
      counter.hit('a');
      now += 1;
      counter.hit('b');
      now = start + WINDOW_MS;
      counter.hit('a');
      counter.hit('c');
      counter.hit('d');
      expect(counter.hit('a').hits).toBe(2);
    });

    it('sweeps windows that are over when it opens one', () => {
      counter.hit('a');
      counter.hit('b');
      now += WINDOW_MS;
      counter.hit('c');
      expect(counter.size).toBe(1);
    });
  });
});
