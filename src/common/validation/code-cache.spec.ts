import { cachedByCode, MAX_CACHE_BYTES } from './code-cache';

const upperCase = (name: string) => {
  const work = jest.fn((code: string) => code.toUpperCase());
  return { work, cached: cachedByCode(name, work) };
};

it('computes the result once for the same code, also if there is none', () => {
  const work = jest.fn((_: string) => null);
  const cached = cachedByCode('nothing', work);
  expect([cached('a'), cached('a'), work.mock.calls.length]).toEqual([null, null, 1]);
});

it('keeps the results of different functions and of different code apart', () => {
  const { cached } = upperCase('upper case');
  const length = cachedByCode('length', (code) => code.length);
  expect([cached('a'), length('a'), cached('b')]).toEqual(['A', 1, 'B']);
  expect(['\ud800', '\ud801', '\ufffd'].map(cached)).toEqual(['\ud800', '\ud801', '\ufffd']);
});

it('evicts the least recently used results when it is full', () => {
  const { cached, work } = upperCase('bounded');
  const length = 256 * 1024;
  const codes = Array.from({ length: MAX_CACHE_BYTES / length }, (_, index) =>
    `${index} `.padEnd(length, 'a'),
  );
  codes.forEach(cached);
  work.mockClear();
  cached(codes[codes.length - 1]);
  expect(work).not.toHaveBeenCalled();
  cached(codes[0]);
  expect(work).toHaveBeenCalledTimes(1);
});

it('evicts the results of short code, too', () => {
  const { cached, work } = upperCase('short');
  cached('first');
  for (let index = 0; index < MAX_CACHE_BYTES / 512; index += 1) {
    cached(String(index));
  }
  work.mockClear();
  cached('first');
  expect(work).toHaveBeenCalledTimes(1);
});
