import { checkFunctionBody } from './code';
import { checkCondition, checkStoredCondition, conditionBody } from './condition-code';

const NEVER_CONDITIONS = [
  'async () => true',
  'async function () { return true; }',
  '(async function named() {})',
  'function* () { yield true; }',
  'async function* () {}',
  'class {}',
  '((class Named {}))',
];

describe('conditionBody', () => {
  it.each([
    ['return a;', 'return a;'],
    ['a === b', 'return(a === b\n)'],
    ['a // why', 'return(a // why\n)'],
    ['() => false', 'return(() => false\n).call(this)'],
    ['((() => false))', 'return(((() => false))\n).call(this)'],
    ['function () { return 1 }', 'return(function () { return 1 }\n).call(this)'],
    ['function named() { return 1 } // why', 'return(function named() { return 1 } // why\n).call(this)'],
    ['function () { return 1 }()', 'return(function () { return 1 }()\n)'],
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
