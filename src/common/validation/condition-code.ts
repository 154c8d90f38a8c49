import type { Expression } from 'acorn';
import { checkFunctionBody, expressionIn } from './code';
import { cachedByCode } from './code-cache';

/*
 * Code that is a condition. It is an expression, a function body that returns the outcome, or a function, such as the
 * code of a custom variable in Google Tag Manager.
 */

const NOT_CALLABLE =
  'The code cannot be an async function, a generator function or a class, because these never return true or false. Use an expression, a function body or a function.';

/** A body that throws an error, because `not` would turn any value into the opposite. */
const ERROR =
  'throw new TypeError("An async function, a generator function or a class cannot be a condition.")';

type Form = 'body' | 'value' | 'function' | 'not callable';

interface Condition {
  form: Form;
  /** The condition as a function body. */
  body: string;
}

const conditionIn = cachedByCode('condition', (code): Condition => {
  const found = expressionIn(code);
  if (found === null) {
    return { form: 'body', body: code };
  }
  const form = formOf(found.expression);
  const value = `return(${found.source})`;
  switch (form) {
    case 'function':
      return { form, body: `${value}.call(this)` };
    case 'not callable':
      // Stored by an earlier release. As a value, it would be true for every visitor.
      return { form, body: ERROR };
    default:
      return { form, body: value };
  }
});

/** The condition as a function body. A function is called with the same `this`. */
export const conditionBody = (code: string): string => conditionIn(code).body;

/** Null for code that can be a condition; otherwise an error message. */
export function checkCondition(code: string): string | null {
  return conditionIn(code).form === 'not callable' ? NOT_CALLABLE : checkStoredCondition(code);
}

/** Like `checkCondition`, but accepts the functions and classes that earlier releases have stored. */
export function checkStoredCondition(code: string): string | null {
  return conditionIn(code).form === 'body' ? checkFunctionBody(code) : null;
}

function formOf(expression: Expression): Exclude<Form, 'body'> {
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
