import { compactScript, escapeScriptEnd } from './compact-script';

/** A function of a user's code. */
export class FunctionText {
  /** @param body statements that parse as the body of a function */
  constructor(readonly body: string) {}
}

/**
 * A value as JavaScript source: plain objects, arrays, text, numbers, booleans, and functions. Undefined fields of
 * objects are left out.
 * @throws SyntaxError if the code of a function does not parse
 */
export function sourceText(value: unknown): string {
  if (value instanceof FunctionText) {
    // The line break ends a comment on the last line of code that could not be made compact.
    return `function(){${compactScript(value.body)}\n}`;
  }
  if (Array.isArray(value)) {
    return `[${value.map(sourceText).join(',')}]`;
  }
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).filter(([, entry]) => entry !== undefined);
    return `{${entries.map(([key, entry]) => `${keyText(key)}:${sourceText(entry)}`).join(',')}}`;
  }
  return value === undefined ? 'undefined' : escapeScriptEnd(JSON.stringify(value));
}

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

/** Written as a plain key, `__proto__` would set the prototype. */
function keyText(key: string): string {
  if (key === '__proto__') {
    return `["${key}"]`;
  }
  return IDENTIFIER.test(key) ? key : sourceText(key);
}
