import { linesOf, numberOrText, textOrNull } from './field-values';

it.each([
  ['12', 12],
  [' 12.5 ', 12.5],
  ['12,5', 12.5],
  ['−3', -3],
  ['+3', 3],
  ['', null],
  ['  ', null],
  ['ten', 'ten'],
  ['1e3', '1e3'],
  ['0,125', 0.125],
  ['1,000.5', '1,000.5'],
  ['10,000', '10,000'],
  ['10.000', '10.000'],
  ['-1,000', '-1,000'],
  ['0x10', '0x10'],
])('reads %j as %j', (text, expected) => {
  expect(numberOrText(text)).toBe(expected);
});

it('reads absent and empty fields as null', () => {
  expect([numberOrText(), textOrNull(), textOrNull(' '), textOrNull(' a')]).toEqual([null, null, null, ' a']);
});

it('reads lines with any line ending, without empty ones', () => {
  expect(linesOf('one\r\n\r\n  two \nthree')).toEqual(['one', 'two', 'three']);
  expect(linesOf()).toEqual([]);
});
