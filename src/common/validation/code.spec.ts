import * as fc from 'fast-check';
import { checkFunctionBody, checkScript, checkSelector, checkStyle, expressionIn } from './code';

const DEEP = 200_000;

describe('checkScript', () => {
  it.each([
    '',
    '// only a comment',
    'const a = 1; let b = `x${a}`; a?.b ?? c;',
    'var x = async () => { await 1; for await (const y of z) {} };',
    '(function () { return 1; })();',
    'import("./module.js").then((m) => m.run());',
    'label: for (;;) break label;',
    "'</script>'",
    'class A { #x = 1; static { this.y = 2; } }',
  ])('accepts %j', (code) => {
    expect(checkScript(code)).toBeNull();
  });

  it('reports line and column, both from 1', () => {
    expect(checkScript('let a = 1;\n\n  let = ;')).toBe(
      'The script does not parse: Unexpected token (line 3, column 9).',
    );
    expect(checkScript(')')).toBe('The script does not parse: Unexpected token (line 1, column 1).');
    expect(checkScript('a\r\nb\u2028 )')).toContain('(line 3, column 2)');
  });

  it.each([
    ['a return', 'return true;', "'return' outside of function"],
    ['an import', 'import a from "a";', "'import' and 'export'"],
    ['an export', 'export const a = 1;', "'import' and 'export'"],
    ['import.meta', 'import.meta.url', "Cannot use 'import.meta' outside a module"],
    ['a top-level await', 'await fetch("/");', 'Unexpected token'],
    ['an interpreter line', '#!/usr/bin/env node\n1', 'Unexpected'],
    ['a name that is declared twice', 'let a; let a;', 'has already been declared'],
    ['a line break in a string', '"a\nb"', 'Unterminated string constant'],
    ['a regular expression that does not compile', '/(/', 'Invalid regular expression'],
    ['code that ends the surrounding function', '}); alert(1); (function () {', 'Unexpected token'],
  ])('rejects %s', (_, code, reason) => {
    const problem = checkScript(code);
    expect(problem).toContain('The script does not parse: ');
    expect(problem).toContain(reason);
  });

  it('shortens long names in the message', () => {
    const name = 'a'.repeat(100_000);
    expect(checkScript(`let ${name}; let ${name};`)?.length).toBeLessThan(300);
  });
});

describe('checkFunctionBody', () => {
  it.each(['return true;', 'if (a) { return b; } return c;', 'return', 'a === b'])('accepts %j', (code) => {
    expect(checkFunctionBody(code)).toBeNull();
  });

  it.each([
    '}); alert(1); (function () {',
    '} alert(1); {',
    'return true; }',
    'return await a;',
    'export default 1',
  ])('rejects %j', (code) => {
    expect(checkFunctionBody(code)).toMatch(/^The script does not parse: .* \(line 1, column \d+\)\.$/);
  });

  it('survives deep nesting', () => {
    expect(checkFunctionBody('return ' + '['.repeat(DEEP))).toBe('The script is nested too deeply.');
  });
});

describe('expressionIn', () => {
  it.each([
    'a',
    '(a)',
    '((a), (b))',
    ' a === "b" // and no more',
    '{ a: 1 }.a',
    '() => true',
    'a /* b */ \n',
    'function () { return 1; }()',
    'function () { return 1; };',
    'function named() {}',
    'function named() {}();',
    '({});',
    'a;',
    'a /* b */ ; /* c */; // d',
  ])('recognises %j', (code) => {
    expect(expressionIn(code)).not.toBeNull();
  });

  it('returns the source without semicolons and comments at the end', () => {
    expect(expressionIn(' /* a */ (b) /* c */; // d')?.source).toBe(' /* a */ (b)');
  });

  it.each([
    'function named() { return 1; };',
    'async function named() {};',
    'class Named {};',
    '{};',
    '{ a };',
  ])('rejects %j, which is a declaration or a block if a semicolon follows', (code) => {
    expect(expressionIn(code)).toBeNull();
    expect(checkFunctionBody(code)).toBeNull();
  });

  it.each([
    '',
    '  ',
    ';',
    'a; b',
    'a;; return true;',
    'return a',
    'a b',
    'a) + (b',
    'a), alert(1), (b',
    'var a',
    '(a',
    'a /* b',
  ])('rejects %j', (code) => {
    expect(expressionIn(code)).toBeNull();
  });

  it('survives deep nesting', () => {
    expect(expressionIn('('.repeat(DEEP))).toBeNull();
  });
});

describe('checkStyle', () => {
  it.each([
    '',
    '/* only a comment */',
    'a { color: red; ; }',
    'a { color: red }',
    ':root { --x: { a: b }; --y:; --z: 1px; --json: [1, (2)] }',
    'a { width: calc(1px + (2 * var(--z, 3px))); inset: 0; color: color-mix(in srgb, red, blue) }',
    'a { color: rgb(from red r g b / 50%) !important }',
    '@media (min-width: 1px) and (max-width: 2px), print and (orientation: landscape) { a { color: red } }',
    '@media (400px <= width <= 700px) { a { color: red } }',
    '@supports (display: grid) and (not (display: inline-grid)) { a { color: red } }',
    '@supports ((a: b) or (c: d)) and selector(:has(a)) { a { color: red } }',
    '@container side (min-width: 1px) { a { color: red } }',
    '@container style(--x: 1) { a { color: red } }',
    '@container style(color: green) { a { color: red } }',
    '@supports ( /**/ display: grid ) { a { color: red } }',
    '@layer base, theme; @layer theme { a { color: red } } @layer a.b { a { color: red } }',
    '@scope (.a) to (.b) { img { color: red } }',
    '@starting-style { a { opacity: 0 } }',
    '@property --x { syntax: "<length>"; inherits: false; initial-value: 0px }',
    '@keyframes x { from { opacity: 0 } 50% { opacity: 1 } to { opacity: 0 } }',
    '@font-face { font-family: x; src: url(x.woff2) format("woff2") }',
    '@import url("x.css") layer(base);',
    'a:has(> img):is(.b, .c):where(p):not(.q)::before { content: "\\201C" }',
    'li:nth-child(2n + 1 of .x) { color: red }',
    'a { b: url(data:image/svg+xml;utf8,<svg></svg>) }',
    'a { content: "</style>" } b { content: "}" } /* { */',
    '<!-- a { color: red } -->',
  ])('accepts %j', (css) => {
    expect(checkStyle(css)).toBeNull();
  });

  it.each([
    'a { color: red; &:hover { color: blue } .b & { color: red } }',
    'a { > b { color: red } + c { color: red } ~ d { color: red } }',
    'a { .b { color: red } #c { color: red } [d] { color: red } :hover { color: red } ::before { color: red } }',
    'a { b { color: red } b:hover { color: red } c, d:is(e, f) { g { color: red } } color: blue }',
    'a { color: red; @media (x) { color: blue; b { color: red } } }',
    'a { --x: { b: c }; color: red }',
  ])('accepts nesting: %j', (css) => {
    expect(checkStyle(css)).toBeNull();
  });

  it.each([
    ['a declaration without a colon', 'a { color }', ': Colon is expected (line 1, column '],
    ['a declaration without a colon before another', 'a { b: c;\n  d e;\n f: g }', '(line 2, column 5)'],
    ['a nested declaration without a name', 'a { b { : c } }', 'expected (line 1, column 9)'],
    ['a missing selector', '{ color: red }', ': Selector is expected (line 1, column 1)'],
    ['a missing selector after a comma', 'a, { color: red }', ': Selector is expected (line 1, column 4)'],
    ['text after the last rule', 'a { } garbage', '"{" is expected'],
    ['a condition without a value', '@container style(--x) and (a b) { c { d: e } }', 'Colon is expected'],
    ['the end of the surrounding style element', 'a { }</style>', 'Selector is expected (line 1, column 6)'],
    ['a line comment', 'a { b: c } // d\ne { f: g }', '(line 1, column '],
    ['an extra closing bracket', 'a { b: c } }', ': unmatched "}" (line 1, column 12)'],
    [
      'a block that is not closed',
      'a { b: c }\r\n@media x {\n a { b: c }',
      ': "{" is not closed (line 2, column 10)',
    ],
    ['an inner block that is not closed', '@media x { a { b: c }', ': "{" is not closed (line 1, column 10)'],
    ['a parenthesis that is not closed', 'a { width: calc(1px }', ': "(" is not closed (line 1, column 12)'],
    ['overlapping brackets', 'a { --x: ([)] }', ': "[" is not closed (line 1, column 11)'],
    ['an unmatched bracket', 'a { --x: ) }', ': unmatched ")" (line 1, column 10)'],
    ['a string that is not closed', 'a { b: "c }', ': The string is not closed (line 1, column 8)'],
    [
      'a string that is ended by a line break',
      'a { b: "c\n" }',
      ': The string is not closed (line 1, column 8)',
    ],
    ['a string kept open by an escape', "a { b: 'c\\", ': The string is not closed (line 1, column 8)'],
    ['a comment that is not closed', 'a { } /* b }', ': The comment is not closed (line 1, column 7)'],
    [
      'a comment that only appears to be closed',
      'a { } /*/',
      ': The comment is not closed (line 1, column 7)',
    ],
    ['an address that is not closed', 'a { b: url(c', ': The url() is not closed (line 1, column 8)'],
    ['a malformed address', 'a { b: url(c d) }', ': The address in url() is malformed (line 1, column 8)'],
  ])('rejects %s', (_, css, expected) => {
    const problem = checkStyle(css);
    expect(problem).toMatch(/^The style does not parse: .+ \(line \d+, column \d+\)\.$/);
    expect(problem).toContain(expected);
  });

  it.each([
    ['@supports (', ') { a { b: c } }', ')'],
    ['@media (', ') { a { b: c } }', ')'],
    ['a { b: (', ') }', ')'],
    [':is(', ') { b: c }', ')'],
    ['@media x {', '}', '}'],
    ['a {', '}', '}'],
  ])('survives deep nesting of %j', (opening, ending, closer) => {
    for (const depth of [DEEP / 10, 101]) {
      const css = opening.repeat(depth) + closer.repeat(depth - 1) + ending;
      expect(checkStyle(css)).toBe('The style is nested too deeply.');
    }
    expect(checkStyle(opening.repeat(DEEP))).toBe('The style is nested too deeply.');
  });

  it('accepts the nesting of hand-written and generated styles', () => {
    const nested = (depth: number): string => 'a { '.repeat(depth) + 'b: c' + '}'.repeat(depth);
    expect(checkStyle(nested(100))).toBeNull();
  });

  it('rejects conditions that need too much backtracking', () => {
    const condition = (depth: number): string =>
      `@supports ${'(not '.repeat(depth)}(a: b)${')'.repeat(depth)} {}\n`;
    expect(checkStyle(condition(5).repeat(50))).toBeNull();
    expect(checkStyle(condition(5).repeat(500))).toContain('Too many nested conditions (line ');
  });

  it('never throws', () => {
    const parts = fc.constantFrom(
      ...'{}()[];:,"\'\\/*&>+~@#.!%|\n a1-'.split(''),
      'a{',
      'b:c;',
      '@media ',
      '--x:',
      ':is(',
    );
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 30 }), (list) => {
        const css = list.join('');
        expect([null, 'string']).toContain(checkStyle(css) && 'string');
        expect([null, 'string']).toContain(checkSelector(css) && 'string');
        expect([null, 'string']).toContain(checkScript(css) && 'string');
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('checkSelector', () => {
  it.each([
    'a',
    '*',
    '#buy, .cart > button:not([disabled])\n, a ~ b + c d',
    '[data-id="a,b"]',
    'a:has(> img, + b):is(.c, .d)::before',
    'li:nth-child(2n+1)',
    'svg|a',
    '#\\31 a',
    'a\\,',
    '& a',
    '#-a',
  ])('accepts %j', (selector) => {
    expect(checkSelector(selector)).toBeNull();
  });

  it.each(['', '  \n'])('rejects %j as empty', (selector) => {
    expect(checkSelector(selector)).toBe('The selector may not be empty.');
  });

  it.each([
    ['a {', 'The selector does not parse: "{" is not closed (line 1, column 3).'],
    ['a { }', 'The selector does not parse: Unexpected input (line 1, column 3).'],
    ['/* a */', 'The selector does not parse: Selector is expected (line 1, column 8).'],
    [', a', 'The selector does not parse: Selector is expected (line 1, column 1).'],
    ['a,', 'The selector does not parse: Selector is expected (line 1, column 2).'],
    ['a, /* b */ ', 'The selector does not parse: Selector is expected (line 1, column 11).'],
    ['a, b >', 'The selector does not parse: Selector is expected after the combinator (line 1, column 4).'],
    ['> a', 'The selector does not parse: Unexpected combinator ">" (line 1, column 1).'],
    [':is(> a)', 'The selector does not parse: Unexpected combinator ">" (line 1, column 5).'],
    ['a >> b', 'The selector does not parse: Unexpected combinator ">" (line 1, column 1).'],
    ['a:has(> > b)', 'The selector does not parse: Unexpected combinator ">" (line 1, column 7).'],
    ['a /deep/ b', 'The selector does not parse: Unexpected combinator "/deep/" (line 1, column 1).'],
    ['50%', 'The selector does not parse: Selector is expected (line 1, column 1).'],
    ['#1a', 'The selector does not parse: Selector is expected (line 1, column 1).'],
    ['.', 'The selector does not parse: Identifier is expected (line 1, column 2).'],
    ['a[href="x', 'The selector does not parse: The string is not closed (line 1, column 8).'],
    ['a[href', 'The selector does not parse: "[" is not closed (line 1, column 2).'],
    ['a /* b', 'The selector does not parse: The comment is not closed (line 1, column 3).'],
  ])('rejects %j', (selector, problem) => {
    expect(checkSelector(selector)).toBe(problem);
  });

  it('survives deep nesting', () => {
    expect(checkSelector(':is('.repeat(DEEP) + 'a' + ')'.repeat(DEEP))).toBe(
      'The selector is nested too deeply.',
    );
    expect(checkSelector('['.repeat(DEEP))).toBe('The selector is nested too deeply.');
  });
});
