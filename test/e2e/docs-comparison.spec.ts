import { blocksOf, maskJson, maskText, proseOf, stepsOf } from '../support/documents';

const isShownAs = (shown: string, printed: string): boolean => maskText(shown, printed) === shown;
const isShownAsJson = (shown: unknown, printed: unknown): boolean =>
  JSON.stringify(maskJson(shown, printed)) === JSON.stringify(shown);

describe('text in a document', () => {
  it.each([
    ['the same', 'the same'],
    ['from ... to', 'from here to'],
    ['a\n...\nd', 'a\nb\nc\nd'],
    ['a\n...', 'a\nb\nc'],
    ['at 2026-05-01T09:30:00.123000Z', 'at 2027-01-31T23:59:59.000001Z'],
    ['a.b (c)', 'a.b (c)'],
  ])('%j matches %j', (shown, printed) => expect(isShownAs(shown, printed)).toBe(true));

  it.each([
    ['the same', 'the same '],
    ['from ... to', 'from  to'],
    ['a\n...\nd', 'a\nb\nc'],
    ['a ...', 'a b\nc'],
    ['at 2026-05-01T09:30:00.123000Z', 'at 2027-01-31'],
    ['a.b (c)', 'axb (c)'],
  ])('%j does not match %j', (shown, printed) => expect(isShownAs(shown, printed)).toBe(false));
});

describe('JSON in a document', () => {
  it.each([
    [{ a: 1 }, { a: 1 }],
    [{ a: '...' }, { a: null }],
    [
      { a: 1, '...': '...' },
      { a: 1, b: 2 },
    ],
    [
      [1, '...'],
      [1, 2, 3],
    ],
    [0.1235, 0.12345678],
    [{ a: 'gos_...' }, { a: 'gos_abc' }],
  ])('%j matches %j', (shown, printed) => expect(isShownAsJson(shown, printed)).toBe(true));

  it.each([
    [{ a: 1 }, { a: 1, b: 2 }],
    [{ a: '...' }, {}],
    [{ a: 1, '...': '...' }, { a: 1 }],
    [[1, '...'], [1]],
    [[1], [1, 2]],
    [0.1234, 0.12346],
    [1, 1.2],
    [{ a: '1' }, { a: 1 }],
    [{ a: null }, { a: 0 }],
  ])('%j does not match %j', (shown, printed) => expect(isShownAsJson(shown, printed)).toBe(false));
});

describe('blocks of a document', () => {
  const document = [
    'Text `code`.\n',
    '<!-- only: mysql -->\n',
    '```sh\ndo it\n```\n',
    '```text\ndone\n```\n',
    '```sh\ndo more\n```\n',
    'It is:\n',
    '```json\n{}\n```\n',
  ].join('\n');

  it('count as output if they follow commands, and otherwise do not', () => {
    const steps = stepsOf(blocksOf(document));
    expect(steps.map(({ commands, printed }) => [commands.text, commands.only, printed?.text])).toEqual([
      ['do it\n', 'mysql', 'done\n'],
      ['do more\n', null, undefined],
    ]);
  });

  it('do not belong to the prose', () => {
    expect(proseOf(document)).not.toContain('do it');
    expect(proseOf(document)).toContain('Text `code`.');
  });
});
