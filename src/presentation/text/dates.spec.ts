import { withMoments } from './dates';

describe('withMoments', () => {
  it.each([
    ['it was "2030-01-02T03:04:05.000000Z".', 'it was 2 January 2030, 03:04 UTC.'],
    ['"Launch 2030-01-02T03:04:05.000000Z"', '"Launch 2030-01-02T03:04:05.000000Z"'],
    ['"2030-13-45T00:00:00.000000Z"', '"2030-13-45T00:00:00.000000Z"'],
    [
      'it was "2030-01-02T03:04:05.000000Z" and is now "2030-01-02T03:04:06.000000Z".',
      'it was "2030-01-02T03:04:05.000000Z" and is now "2030-01-02T03:04:06.000000Z".',
    ],
  ])('formats times as pages do, but leaves names unchanged: %s', (message, shown) => {
    expect(withMoments(message)).toBe(shown);
  });
});
