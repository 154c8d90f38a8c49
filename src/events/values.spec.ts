import { parseValue } from './values';

describe('parseValue', () => {
  // Values are rounded half to even, as in IEEE 754 and decimal arithmetic.
  it.each([
    [12, 120_000],
    [12.5, 125_000],
    [-3.25, -32_500],
    [0, 0],
    [-0, 0],
    [0.1, 1_000],
    [1e-5, 0],
    [0.00005, 0],
    [0.00015, 2],
    [0.00025, 2],
    [-0.00025, -2],
    [0.000250001, 3],
    [99.99995, 1_000_000],
    [1e9, 10_000_000_000_000],
    [-1e9, -10_000_000_000_000],
    [999_999_999.9999, 9_999_999_999_999],
    ['12.5', 125_000],
    ['-7', -70_000],
    ['+7', 70_000],
    ['0.00035', 4],
    ['007.10', 71_000],
  ])('reads %p as %p ten-thousandths', (given, expected) => expect(parseValue(given)).toBe(expected));

  it.each([
    1e308,
    1e9 + 1,
    -1e9 - 1,
    1_000_000_000.0001,
    NaN,
    Infinity,
    '12,5',
    'NaN',
    '',
    ' 5',
    '1e3',
    '0x10',
    '.5',
    '5.',
    '--1',
    true,
    null,
    undefined,
    {},
    [5],
    '9'.repeat(400),
  ])('rejects %p', (given) => expect(parseValue(given)).toBeNull());
});
