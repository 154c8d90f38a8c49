import { plainLines, scriptLines } from './highlighting';

const kinds = (script: string): string[][] =>
  scriptLines(script).map((line) =>
    line.filter(({ kind }) => kind !== 'plain').map(({ kind, text }) => `${kind} ${text}`),
  );

const textOf = (script: string): string =>
  scriptLines(script)
    .map((line) => line.map(({ text }) => text).join(''))
    .join('\n');

it('finds keywords, strings, numbers and comments', () => {
  expect(kinds('let a = 12; // as text: "x"\nreturn /b/g.test(`c${a}`) && \'d\';')).toEqual([
    ['keyword let', 'number 12', 'comment // as text: "x"'],
    ['keyword return', 'string /b/g', 'string `', 'string c', 'string `', "string 'd'"],
  ]);
});

it('splits multi-line tokens', () => {
  expect(kinds('/* one\r\n\r\ntwo */ if (x) {}')).toEqual([
    ['comment /* one'],
    [],
    ['comment two */', 'keyword if'],
  ]);
});

it.each(['', '\n', 'a\n\nb\n', 'const s = "</script>";\n\tgo()', 'var unfinished = (', '<!-- old\nb'])(
  'keeps every character of %j',
  (script) => {
    expect(textOf(script)).toBe(script);
  },
);

it.each([
  ['does not parse', 'if ('],
  ['is nested too deeply', `x = ${'['.repeat(5000)}${']'.repeat(5000)}`],
  ['is very long', `if (a) {}${' '.repeat(200_000)}`],
])('does not highlight code that %s', (_, script) => {
  expect(scriptLines(script)).toEqual(plainLines(script));
});
