import * as fc from 'fast-check';
import { checkPageConditions, normalizePageConditions, PAGE_MATCHES } from './page-conditions';

const valid = { match: 'exact', value: 'https://example.com/', negate: false };

describe('checkPageConditions', () => {
  it.each([
    ['null', null],
    ['an empty list', []],
    ['only a value', [{ value: '/products' }]],
    ['every kind of match', PAGE_MATCHES.map((match) => ({ match, value: '^/products/\\d+' }))],
    ['a negated condition', [{ ...valid, negate: true }]],
    ['fields that are null', [{ match: null, value: '/', negate: null }]],
    ['2,048 characters', [{ value: '\u{1F600}'.repeat(2_048) }]],
    ['100 conditions', Array(100).fill(valid)],
    ['an unfinished pattern that is plain text', [{ match: 'contains', value: '(a+)+(' }]],
  ])('accepts %s', (_, value) => {
    expect(checkPageConditions(value)).toEqual([]);
  });

  it.each([
    ['an object', {}, 'The conditions must be a list.'],
    ['a string', '/products', 'The conditions must be a list.'],
    ['101 conditions', Array(101).fill(null), 'The conditions may have at most 100 entries.'],
  ])('rejects %s', (_, value, message) => {
    expect(checkPageConditions(value)).toEqual([{ path: '', message }]);
  });

  const cases: [unknown, Record<string, unknown>][] = [
    ['/products', { '1': 'The condition must be an object.' }],
    [null, { '1': 'The condition must be an object.' }],
    [[valid], { '1': 'The condition must be an object.' }],
    [{}, { '1.value': 'The value field is required.' }],
    [{ value: null }, { '1.value': 'The value field is required.' }],
    [{ value: '' }, { '1.value': 'The value field is required.' }],
    [{ value: 1 }, { '1.value': 'The value must be a string.' }],
    [{ value: 'x'.repeat(2_049) }, { '1.value': 'The value may not be longer than 2048 characters.' }],
    [{ value: '\ud800' }, { '1.value': expect.stringContaining('surrogate') }],
    [
      { match: 'glob', value: '/' },
      { '1.match': 'The match must be one of: simple, exact, contains, starts_with, ends_with, regex.' },
    ],
    [{ match: 1, value: '/' }, { '1.match': expect.stringContaining('The match must be one of') }],
    [{ match: 'regex', value: '(' }, { '1.value': 'The pattern does not compile: Unterminated group.' }],
    [
      { match: 'regex', value: 'a(?!b)' },
      { '1.value': expect.stringContaining('a look-ahead at character 2') },
    ],
    [{ match: 'regex', value: '' }, { '1.value': 'The value field is required.' }],
    [{ value: '/', negate: 'yes' }, { '1.negate': 'The negate must be true or false.' }],
    [
      { value: '/', url: 1 },
      { '1.url': 'The field url is unknown. A condition has these fields: match, value, negate.' },
    ],
    [
      { match: 'x', negate: 0, toString: 1 },
      {
        '1.toString': expect.stringContaining('The field toString is unknown.'),
        '1.match': expect.any(String),
        '1.value': expect.any(String),
        '1.negate': expect.any(String),
      },
    ],
  ];
  it.each(cases)('rejects %j', (condition, expected) => {
    const found = checkPageConditions([valid, condition]).map(({ path, message }) => [path, message]);
    expect(Object.fromEntries(found)).toEqual(expected);
    expect(found).toHaveLength(Object.keys(expected).length);
  });

  it('reports the failures of each condition', () => {
    expect(checkPageConditions([{}, valid, {}]).map(({ path }) => path)).toEqual(['0.value', '2.value']);
  });
});

describe('normalizePageConditions', () => {
  it.each([[null], [undefined], [[]]])('converts %j to an empty list', (value) => {
    expect(normalizePageConditions(value)).toEqual([]);
  });

  it('fills in defaults for absent and null fields', () => {
    expect(
      normalizePageConditions([{ value: '/' }, { value: '/', match: null, negate: null }, valid]),
    ).toEqual([
      { match: 'simple', value: '/', negate: false },
      { match: 'simple', value: '/', negate: false },
      valid,
    ]);
  });

  it('returns a valid form that further normalisation does not change', () => {
    const condition = fc.record(
      {
        value: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }),
        match: fc.constantFrom('simple', 'exact', 'contains', null),
        negate: fc.constantFrom(true, false, null),
      },
      { requiredKeys: ['value'] },
    );
    fc.assert(
      fc.property(fc.array(condition, { maxLength: 5 }), (conditions) => {
        expect(checkPageConditions(conditions)).toEqual([]);
        const stored = normalizePageConditions(conditions);
        expect(checkPageConditions(stored)).toEqual([]);
        expect(normalizePageConditions(stored)).toStrictEqual(stored);
      }),
    );
  });
});
