import { checkPattern, createPatternCheck } from './pattern';

const UNSUPPORTED =
  'which is not supported: patterns may use only RE2 syntax that has the same meaning in browsers.';
const TOO_LARGE = /^The pattern is too large: it may have at most 700 steps/;
const TOO_LARGE_TOGETHER =
  /^Together, the patterns of these conditions are too large: they may have at most 2000 steps/;

describe('checkPattern', () => {
  it.each([
    ['(', 'Unterminated group'],
    ['[a', 'Unterminated character class'],
    ['*: a', 'Nothing to repeat'],
    ['a{2,1}', 'numbers out of order in {} quantifier'],
    ['\\', '\\ at end of pattern'],
  ])('rejects %j, which does not compile', (pattern, reason) => {
    expect(checkPattern(pattern)).toBe(`The pattern does not compile: ${reason}.`);
  });

  it('rejects a pattern that is too long', () => {
    expect(checkPattern('a'.repeat(2_049))).toBe('The pattern may not be longer than 2048 characters.');
  });

  it.each([
    '',
    '^/checkout(/|$)',
    'utm_(source|medium|campaign)=([^&]+)',
    '^https?://(www\\.)?example\\.com/(de|en)/products/[^/?#]+/?(\\?.*)?$',
    'https?://[^/]+/(?:[a-z]{2}(?:-[a-z]{2})?/)?category/[\\w-]+(?:/page/\\d+)?/?(?:\\?[^#]*)?(?:#.*)?$',
    '^(?:[^/]+/)+detail$',
    '^(?:a|b)*[a-z]*[a-z]*0',
    '[\\w.]{1,64}@[\\w.]{1,255}',
    '(?<language>[a-z]+)',
    '('.repeat(50) + ')'.repeat(50),
    '\u{1F600}'.repeat(300),
    'a'.repeat(690),
    // The next patterns take exponential time in backtracking engines, but not in RE2.
    '(a+)+$',
    '(?:a|b|ab)*c',
    '^/shop/(\\w+\\s?)*$',
  ])('accepts %j', (pattern) => {
    expect(checkPattern(pattern)).toBeNull();
  });

  it.each([
    ['^(?!.*/admin)', 'a look-ahead at character 2'],
    ['(?<=lang=)de', 'a look-behind at character 1'],
    ['(a)\\1', 'the back-reference \\1 at character 4'],
    ['(?i)sale', 'the group (?i at character 1'],
    ['(?P<n>a)', 'a group written as (?P at character 1'],
    ['\\Ahttps', 'the escape \\A at character 1'],
  ])('rejects %j, which only one engine supports', (pattern, what) => {
    expect(checkPattern(pattern)).toBe(`The pattern has ${what}, ${UNSUPPORTED}`);
  });

  it.each([
    '(a?){300}a{300}',
    '(?:(?:[ab]{1,10}){1,10}){1,10}',
    '(?:(?:a{1000}){1000}){1000}',
    '(?:(?:(?:){1000}){1000}){1000}',
    'a'.repeat(1_000),
  ])('rejects %j, whose program is too large', (pattern) => {
    expect(checkPattern(pattern)).toMatch(TOO_LARGE);
  });
});

describe('createPatternCheck', () => {
  it('limits the total cost of the patterns of one value', () => {
    const check = createPatternCheck();
    const outcomes = Array.from({ length: 100 }, () => check('[a-z]{1,200}[0-9]{1,100}'));
    expect(outcomes.slice(0, 3)).toEqual([null, null, null]);
    expect(outcomes[3]).toMatch(TOO_LARGE_TOGETHER);
    expect(new Set(outcomes.slice(3)).size).toBe(1);
    expect(createPatternCheck()('[a-z]{1,200}[0-9]{1,100}')).toBeNull();
  });

  it('continues after an invalid pattern', () => {
    const check = createPatternCheck();
    expect(check('(?!a)')).not.toBeNull();
    expect(check('a'.repeat(2_000))).toMatch(TOO_LARGE);
    expect(check('a')).toBeNull();
  });
});
