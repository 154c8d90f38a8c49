import { parse } from 'acorn';
import { compactScript, FUNCTION_BODY } from './code';

/** The syntax tree without positions. */
const treeOf = (code: string): unknown =>
  JSON.parse(
    JSON.stringify(parse(code, FUNCTION_BODY), (key, value: unknown) => {
      if (key === 'start' || key === 'end' || key === 'raw') {
        return undefined;
      }
      return typeof value === 'bigint' ? String(value) : value;
    }),
  );

describe('compact code', () => {
  it('has no comments, indentation or redundant blanks', () => {
    const code = `
      // What it is for
      if (window.a === 1) {
        document.title = 'A  /* not a comment */ title'; /* the
        end */ go( 1, [ 2 ] )
      }
    `;
    expect(compactScript(code)).toBe(
      "if(window.a === 1){\ndocument.title = 'A  /* not a comment */ title';\ngo(1,[2])\n}",
    );
  });

  it.each([
    ['a line break that ends a statement', 'let a = 1\n/* c */ ;[a] = [2]\nreturn\na'],
    ['the end of a statement at a comment', 'let a = b /*\n*/ ++c'],
    ['signs in a row', 'a = b + +c - -d /**/ - --e; f = g / /h i/.exec(j)'],
    ['words in a row', 'return typeof void/**/0 in new Object instanceof Object'],
    ['a template', 'return `a  ${ b /* c */ + `  // d ${e}\n` }  /* f */`'],
    ['a tagged template', 'return String.raw`</script>  \\u`'],
    ['a regular expression', 'return a\n/b/g.exec(c) || /[/*]  \\/ </.test(d)'],
    ['code with HTML-like comments', 'a = 1 <!-- the end\n--> of the story\nb = 2'],
    ['a directive', "// first\n'use strict'\nreturn this"],
    ['a number with a dot', 'return 1 .toFixed(2) + 1..toFixed()'],
    ['Unicode line separators', 'a = 1 // b\u2028c = 2 /* \u2029 */ d = 3'],
    [
      'new syntax',
      'class A { static #b = 1n; static { A.#b ||= 2n } async *[`c`]() { for await (const d of e) yield* d } }',
    ],
  ])('keeps %s', (_, code) => {
    const compact = compactScript(code);
    expect(treeOf(compact)).toEqual(treeOf(code));
    expect(compactScript(compact)).toBe(compact);
  });

  it('does not let a string close a script element', () => {
    const compact = compactScript("return '</script>' + /[</SCRIPT]/.source");
    expect(compact).toBe("return '<\\/script>' + /[<\\/SCRIPT]/.source");
  });

  it('fails only if the code does not parse', () => {
    expect(() => compactScript('}, x: function () { alert(1)')).toThrow(SyntaxError);
  });

  it('is unchanged if it is nested too deeply', () => {
    const code = `return ${'('.repeat(100_000)}1${')'.repeat(100_000)} // deep`;
    expect(compactScript(code)).toBe(code);
  });
});
