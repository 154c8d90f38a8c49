import type * as Recheck from 'recheck';
import { checkPattern, createPatternCheck } from './pattern';

// With all the time it needs, so that what it finds does not depend on how busy the machine is.
jest.mock('recheck/lib/browser.js', () => {
  const actual = jest.requireActual<typeof Recheck>('recheck/lib/browser.js');
  return {
    checkSync: jest.fn((source: string, flags: string, parameters: Recheck.Parameters) =>
      actual.checkSync(source, flags, { ...parameters, timeout: null }),
    ),
  };
});

const { checkSync } = jest.requireMock<typeof Recheck>('recheck/lib/browser.js');
const analysis = jest.mocked(checkSync);
const UNDECIDED = /^The pattern is too complex to tell whether it may take exponential time\./;
const EXPONENTIAL = /^The pattern may take exponential time(, for example on .+)?\. Make sure /;

beforeEach(() => void analysis.mockClear());
afterEach(() => void jest.restoreAllMocks());

describe('checkPattern', () => {
  it.each([
    ['(', 'Unterminated group'],
    ['[a', 'Unterminated character class'],
    ['*: a', 'Nothing to repeat'],
    ['a{2,1}', 'numbers out of order in {} quantifier'],
    ['\\', '\\ at end of pattern'],
  ])('refuses %j, which does not compile', (pattern, reason) => {
    expect(checkPattern(pattern)).toBe(`The pattern does not compile: ${reason}.`);
  });

  it('refuses a pattern that is too long', () => {
    expect(checkPattern('\u{1F600}'.repeat(2_048))).toBeNull();
    expect(checkPattern('a'.repeat(2_049))).toBe('The pattern may not be longer than 2048 characters.');
  });

  it.each([
    '',
    '^/checkout(/|$)',
    'utm_(source|medium|campaign)=([^&]+)',
    '^https?://(www\\.)?example\\.com/(de|en)/products/[^/?#]+/?(\\?.*)?$',
    'https?://[^/]+/(?:[a-z]{2}(?:-[a-z]{2})?/)?category/[\\w-]+(?:/page/\\d+)?/?(?:\\?[^#]*)?(?:#.*)?$',
    '^(?!.*/admin).*(promo|sale)s?.*$',
    '^(?:(?!/admin).)*$',
    '[\\w.]{1,64}@[\\w.]{1,255}',
    '(?<=lang=)(?<language>[a-z]+)&\\k<language>',
    '('.repeat(50) + ')'.repeat(50),
  ])('accepts %j without an analysis', (pattern) => {
    expect(checkPattern(pattern)).toBeNull();
    expect(analysis).not.toHaveBeenCalled();
  });

  it.each([
    ['linear', '^(?:[^/]+/)+detail$'],
    ['linear', '^/(?:[a-z]+/|[0-9]+/)*$'],
    ['cubic', '^(?:a|b)*[a-z]*[a-z]*0'],
    ['never fails', '/(a+)+'],
  ])('accepts what is repeated inside of repetitions but %s: %j', (_, pattern) => {
    expect(checkPattern(pattern)).toBeNull();
    expect(analysis).toHaveBeenCalledTimes(1);
  });

  it.each([
    '(a+)+$',
    '^(a|a)*$',
    '^/shop/(\\w+\\s?)*$',
    '(?:a|b|ab)*c',
    '(?=(a+)+$)',
    '\\B(a+)+$',
    '\\b(-+)+$',
    '(?<=c(a+)+)b',
  ])('refuses %j, which may take exponential time', (pattern) => {
    expect(checkPattern(pattern)).toMatch(EXPONENTIAL);
  });

  it('analyses a pattern with very many repetitions in a row', () => {
    checkPattern('a*b'.repeat(10));
    expect(analysis).not.toHaveBeenCalled();
    checkPattern('a*b'.repeat(11));
    expect(analysis).toHaveBeenCalledTimes(1);
  });

  it.each(['(a|aa){30}$', `^${'a?'.repeat(30)}${'a'.repeat(30)}$`])(
    'refuses %j, which takes exponential time in its own length',
    (pattern) => {
      expect(checkPattern(pattern)).not.toBeNull();
    },
  );

  it('gives an example unless it is too long to read', () => {
    expect(checkPattern('(b+)+$')).toContain("for example on 'b' + 'b'.repeat(31) + '\\x00'. Make sure");
    const found = analysis('(b+)+$', '') as Recheck.VulnerableDiagnostics;
    analysis.mockReturnValueOnce({ ...found, attack: { ...found.attack, pattern: 'c'.repeat(101) } });
    expect(checkPattern('(b+)+c$')).toContain('may take exponential time. Make sure');
  });

  it('refuses what the analysis cannot decide', () => {
    analysis.mockImplementationOnce(() => {
      throw new RangeError('Maximum call stack size exceeded');
    });
    expect(checkPattern('(?:a*b)*0')).toMatch(UNDECIDED);
    analysis.mockReturnValueOnce({ source: '', flags: '', status: 'unknown', error: { kind: 'timeout' } });
    expect(checkPattern('(?:a*b)*1')).toMatch(UNDECIDED);
  });

  it('remembers what the analysis found', () => {
    for (const [pattern, expected] of [
      ['(?:a*b)*2', null],
      ['(a*)*2', expect.stringMatching(EXPONENTIAL)],
    ] as const) {
      analysis.mockClear();
      expect(checkPattern(pattern)).toEqual(expected);
      expect(checkPattern(pattern)).toEqual(expected);
      expect(analysis).toHaveBeenCalledTimes(1);
    }
  });
});

describe('createPatternCheck', () => {
  it('bounds the time for all patterns together', () => {
    let elapsed = 0;
    jest.spyOn(performance, 'now').mockImplementation(() => elapsed);
    analysis.mockImplementation((source, flags, parameters) => {
      elapsed += parameters?.timeout ?? 0;
      return { source, flags, status: 'unknown', error: { kind: 'timeout' } };
    });
    const check = createPatternCheck();
    expect(check('(?:a*b)*3')).toMatch(UNDECIDED);
    expect(check('(?:a*b)*4')).toMatch(UNDECIDED);
    expect(analysis).toHaveBeenCalledTimes(2);
    expect(check('(?:a*b)*5')).toMatch(UNDECIDED);
    expect(analysis).toHaveBeenCalledTimes(2);
    expect(check('^a.*b$')).toBeNull();
  });

  it('does not remember what it had no time to decide', () => {
    let elapsed = 0;
    jest.spyOn(performance, 'now').mockImplementation(() => elapsed);
    analysis.mockImplementation((source, flags) => {
      elapsed += 1_999;
      return { source, flags, status: 'unknown', error: { kind: 'timeout' } };
    });
    const check = createPatternCheck();
    check('(?:a*b)*6');
    expect(check('(?:a*b)*7')).toMatch(UNDECIDED);
    expect(analysis).toHaveBeenLastCalledWith(expect.anything(), '', expect.objectContaining({ timeout: 1 }));
    analysis.mockReset();
    analysis.mockReturnValue({
      source: '',
      flags: '',
      status: 'safe',
      checker: 'automaton',
      complexity: { type: 'linear', summary: 'linear', isFuzz: false },
    });
    expect(checkPattern('(?:a*b)*6')).toMatch(UNDECIDED);
    expect(checkPattern('(?:a*b)*7')).toBeNull();
  });
});
