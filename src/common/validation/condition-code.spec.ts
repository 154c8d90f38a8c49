import { checkFunctionBody } from './code';
import { checkCondition, checkStoredCondition, conditionBody } from './condition-code';

const NEVER_CONDITIONS = [
  'async () => true',
  'async function () { return true; }',
  '(async function named() {})',
  'function* () { yield true; }',
  'async function* () {}',
  'async () => true;',
  'class {}',
  '((class Named {}))',
];

describe('conditionBody', () => {
  it.each([
    ['return a;', 'return a;'],
    ['a === b', 'return(a === b)'],
    ['a // why', 'return(a)'],
    ['a === b;', 'return(a === b)'],
    ['() => true; // why', 'return(() => true).call(this)'],
    ['(() => true);', 'return((() => true)).call(this)'],
    ['function named() { return 1 };', 'function named() { return 1 };'],
    ['() => false', 'return(() => false).call(this)'],
    ['((() => false))', 'return(((() => false))).call(this)'],
    ['function () { return 1 }', 'return(function () { return 1 }).call(this)'],
    ['function named() { return 1 } // why', 'return(function named() { return 1 }).call(this)'],
    ['function () { return 1 }()', 'return(function () { return 1 }())'],
  ])('of %j is %j', (code, body) => {
    expect(conditionBody(code)).toBe(body);
    expect(checkFunctionBody(body)).toBeNull();
  });

  it.each(NEVER_CONDITIONS)('throws an error for %j, which an earlier release stored', (code) => {
    expect(conditionBody(code)).toBe(
      'throw new TypeError("An async function, a generator function or a class cannot be a condition.")',
    );
    expect(checkFunctionBody(conditionBody(code))).toBeNull();
    expect(checkStoredCondition(code)).toBeNull();
  });
});

describe('checkCondition', () => {
  it.each(['a', 'return a;', '() => a', 'function () { return a; }', 'async () => {}; return true;'])(
    'accepts %j',
    (code) => expect(checkCondition(code)).toBeNull(),
  );

  it.each(NEVER_CONDITIONS)('rejects %j', (code) => {
    expect(checkCondition(code)).toBe(
      'The code cannot be an async function, a generator function or a class, because these never return true or false. Use an expression, a function body or a function.',
    );
  });

  it.each(['return await a;', 'a) + (b'])('rejects %j', (code) => {
    expect(checkCondition(code)).toMatch(/^The script does not parse: /);
    expect(checkStoredCondition(code)).toBe(checkCondition(code));
  });
});
