import { addressTest } from './address-patterns';

describe('the addresses of a page', () => {
  it.each([
    [{ wanted: [], unwanted: [] }, true],
    [{ wanted: ['shop', 'basket'], unwanted: [] }, true],
    [{ wanted: ['basket'], unwanted: [] }, false],
    [{ wanted: [], unwanted: ['order=\\d'] }, false],
    [{ wanted: [], unwanted: ['basket'] }, false],
    [{ wanted: ['shop'], unwanted: ['order=1'] }, false],
    [{ wanted: ['shop'], unwanted: ['order=2$'] }, true],
  ])('match the patterns %j: %j', (patterns, expected) => {
    expect(addressTest(patterns)('https://example.com/shop?order=1')).toBe(expected);
  });

  it('cannot be tested if a pattern is not supported', () => {
    expect(() => addressTest({ wanted: ['('], unwanted: [] })).toThrow(SyntaxError);
  });
});
