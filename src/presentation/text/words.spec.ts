import { passedDays, plainName, plural, shortName, shortNames } from './words';

it('adds counts to nouns', () => {
  expect([plural(0, 'day'), plural(1, 'day'), plural(2, 'day')]).toEqual(['0 days', '1 day', '2 days']);
  expect([passedDays(0), passedDays(0.5), passedDays(1.9), passedDays(12.4)]).toEqual([
    '0 days',
    'less than a day',
    '1 day',
    '12 days',
  ]);
});

it('keeps names from changing the surrounding text', () => {
  expect(plainName('a\u202eb\u0000 \n c\u2069')).toBe('a b c');
  expect(plainName('a\ufffeb\uffffc')).toBe('a b c');
  expect(plainName('\u200f ')).toBe('(no name)');
  expect(['\u200b', '\u202e\u200b', '\u2060 \u3164', '\ufe0f'].map(plainName)).toEqual(
    Array<string>(4).fill('(no name)'),
  );
  expect(plainName('👩\u200d💻')).toBe('👩\u200d💻');
  expect(shortName('😀'.repeat(5), 4)).toBe('😀😀😀…');
});

it.each([
  [
    ['Green', 'A green buy button'],
    ['Green', 'A green bu…'],
  ],
  [
    ['Longer headline A', 'Longer headline B'],
    ['…headline A', '…headline B'],
  ],
  [
    ['Longer headline', 'Longer headline, bold'],
    ['…r headline', '…headline,…'],
  ],
  [
    ['A very long name 1 of 2 names', 'A very long name 2 of 2 names'],
    ['…ng name 1…', '…ng name 2…'],
  ],
  [
    ['😀😀😀😀😀😀😀😀😀😀😀a', '😀😀😀😀😀😀😀😀😀😀😀b'],
    ['…😀😀😀😀😀😀😀😀😀a', '…😀😀😀😀😀😀😀😀😀b'],
  ],
  [
    ['The same long name', 'The same long name'],
    ['The same l…', 'The same l…'],
  ],
  [
    ['Eleven long', 'Eleven long'],
    ['Eleven long', 'Eleven long'],
  ],
  [
    ['Header, red, with note A', 'Header, red, with note B', 'Header, blue, with note'],
    ['…ith note A', '…ith note B', 'Header, bl…'],
  ],
])('shortens the names %j so that they differ', (names, short) => {
  expect(shortNames(names, 11)).toEqual(short);
});
