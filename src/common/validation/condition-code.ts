import type { Expression } from 'acorn';
import { checkFunctionBody, expressionIn } from './code';

/*
 * Code that is a condition. It is an expression, a function body that returns the outcome, or a function, such as the
 * code of a custom variable in Google Tag Manager.
 */

const NOT_CALLABLE =
  'The code cannot be an async function, a generator function or a class, because these never return true or false. Use an expression, a function body or a function.';

/** A body that throws an error, because `not` would turn any value into the opposite. */
const ERROR =
  'throw new TypeError("An async function, a generator function or a class cannot be a condition.")';

/** The condition as a function body. A function is called with the same `this`. */
export function conditionBody(code: string): string {
  const found = expressionIn(code);
  if (found === null) {
    return code;
  }
  const value = `return(${found.source})`;
  switch (formOf(found.expression)) {
    case 'value':
      return value;
    case 'function':
      return `${value}.call(this)`;
    case 'not callable':
      // Stored by an earlier release. As a value, it would be true for every visitor.
      return ERROR;
  }
}

/** Null for code that can be a condition; otherwise an error message. */
export function checkCondition(code: string): string | null {
  const found = expressionIn(code);
  if (found === null) {
    return checkFunctionBody(code);
  }
  return formOf(found.expression) === 'not callable' ? NOT_CALLABLE : null;
}

/** Like `checkCondition`, but accepts the functions and classes that earlier releases have stored. */
export function checkStoredCondition(code: string): string | null {
  return expressionIn(code) === null ? checkFunctionBody(code) : null;
}

function formOf(expression: Expression): 'value' | 'function' | 'not callable' {
  switch (expression.type) {
    case 'ParenthesizedExpression':
      return formOf(expression.expression);
    case 'ArrowFunctionExpression':
    case 'FunctionExpression':
      return expression.async || expression.generator ? 'not callable' : 'function';
    case 'ClassExpression':
      return 'not callable';
    default:
      return 'value';
  }
}
