import { audienceWords, pageWords } from './condition-words';

describe('the conditions of a page', () => {
  it('are split into including and excluding conditions', () => {
    const words = pageWords([
      { match: 'simple', value: 'shop.example.com/cart', negate: false },
      { match: 'regex', value: '/p/\\d+', negate: false },
      { match: 'contains', value: 'preview', negate: true },
    ]);
    expect(words).toEqual([
      {
        words: 'At least one of these:',
        parts: [
          { words: 'The URL, ignoring query and fragment, is', values: ['shop.example.com/cart'] },
          { words: 'The URL matches the regular expression', values: ['/p/\\d+'] },
        ],
      },
      { words: 'None of these:', parts: [{ words: 'The URL contains', values: ['preview'] }] },
    ]);
  });

  it('are empty if every page matches', () => {
    expect(pageWords([])).toEqual([]);
  });
});

describe('the conditions of an audience', () => {
  it.each([null, [] as never])('are null for everyone', (tree) => {
    expect(audienceWords(tree)).toBeNull();
  });

  it('can be a single condition', () => {
    expect(audienceWords({ type: 'device', value: 'mobile' })).toEqual({
      words: 'Device is',
      values: ['mobile'],
    });
  });

  it('keep their nesting', () => {
    const words = audienceWords([
      'and',
      { type: 'browser', match: 'in', value: ['chrome', 'edge'] },
      ['not', { type: 'cookie', name: 'staff', match: 'exists' }],
      [
        'or',
        { type: 'attribute', name: 'age', match: 'gte', value: 18 },
        { type: 'javascript', value: 'x > 1' },
      ],
    ]);
    expect(words).toEqual({
      words: 'All of these:',
      parts: [
        { words: 'Browser is one of', values: ['chrome', 'edge'] },
        { words: 'Not:', parts: [{ words: 'Cookie “\u2068staff\u2069” exists', values: [] }] },
        {
          words: 'At least one of these:',
          parts: [
            { words: 'Attribute “\u2068age\u2069” is at least', values: ['18'] },
            { words: 'JavaScript that returns true:', values: ['x > 1'] },
          ],
        },
      ],
    });
  });
});
