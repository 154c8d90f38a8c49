import { fitted, textWidth, wrapped } from './widths';

const FONT = { size: 10 };

describe('the width of text', () => {
  it.each([
    ['wide letters', 'W', 'x'],
    ['Chinese characters', '購', 'x'],
    ['capitals', 'A', 'a'],
    ['average letters', 'x', 'i'],
  ])('is larger for %s', (_, wider, narrower) => {
    expect(textWidth(wider, FONT)).toBeGreaterThan(textWidth(narrower, FONT));
  });

  it('grows with size and weight, but not with diacritics', () => {
    expect(textWidth('abc', { size: 20 })).toBe(2 * textWidth('abc', FONT));
    expect(textWidth('abc', { ...FONT, isBold: true })).toBeGreaterThan(textWidth('abc', FONT));
    expect(textWidth('e\u0301', FONT)).toBe(textWidth('e', FONT));
  });
});

describe('text with a maximum width', () => {
  it('is unchanged if it fits', () => {
    expect(fitted('購入', 20, FONT)).toBe('購入');
    expect(fitted('', 0, FONT)).toBe('');
  });

  it('is truncated if it does not fit, never within a character', () => {
    expect(fitted('購入ボタン', 40, FONT)).toBe('購入ボ…');
    expect(fitted('😀😀😀😀', 39, FONT)).toBe('😀😀…');
    expect(fitted('WW WW', 35, FONT)).toBe('WW…');
  });
});

it('wraps text at spaces', () => {
  const width = textWidth('three four', FONT);
  expect(wrapped('one two three four', width, FONT)).toEqual(['one two', 'three four']);
  expect(wrapped('one two three four', width / 2, FONT)).toEqual(['one', 'two', 'three', 'four']);
  expect(wrapped('unbelievable it is', 40, FONT)).toEqual(['unbelievable', 'it is']);
});
