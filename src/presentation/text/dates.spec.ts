import { withMoments } from './dates';

describe('withMoments', () => {
  it.each([
    ['it was "2030-01-02T03:04:05.000000Z".', 'it was 2 January 2030, 03:04 UTC.'],
    ['"Launch 2030-01-02T03:04:05.000000Z"', '"Launch 2030-01-02T03:04:05.000000Z"'],
    ['"2030-13-45T00:00:00.000000Z"', '"2030-13-45T00:00:00.000000Z"'],
    [
      'The start must be in the future. The server time is 2030-01-02T03:04:05Z. (and 1 more error)',
      'The start must be in the future. The server time is 2 January 2030, 03:04 UTC. (and 1 more error)',
    ],
    [
      'The planned end 2030-01-01 is before the scheduled start, 2030-01-02T03:04:05Z.',
      'The planned end 2030-01-01 is before the scheduled start, 2 January 2030, 03:04 UTC.',
    ],
    [
      'The start scheduled for 2030-01-02T03:04:05Z was rejected. The end, 2030-01-03T03:04:05Z, had also passed.',
      'The start scheduled for 2 January 2030, 03:04 UTC was rejected. The end, 3 January 2030, 03:04 UTC, had also passed.',
    ],
    [
      'The project already has an environment named 2030-01-02T03:04:05Z.',
      'The project already has an environment named 2030-01-02T03:04:05Z.',
    ],
    [
      'it was "2030-01-02T03:04:05.000000Z" and is now "2030-01-02T03:04:06.000000Z".',
      'it was "2030-01-02T03:04:05.000000Z" and is now "2030-01-02T03:04:06.000000Z".',
    ],
  ])('formats times as pages do, but leaves names unchanged: %s', (message, shown) => {
    expect(withMoments(message)).toBe(shown);
  });
});
