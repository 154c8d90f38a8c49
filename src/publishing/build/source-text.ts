/** A function of a user's code. */
export class FunctionText {
  /** @param body statements that parse as the body of a function */
  constructor(readonly body: string) {}
}

/**
 * A value as JavaScript source: plain objects, arrays, text, numbers, booleans, and functions. What is undefined is
 * left out of objects.
 */
export function sourceText(value: unknown): string {
  if (value instanceof FunctionText) {
    // The line break ends a comment on the last line of the code.
    return `function(){${value.body}\n}`;
  }
  if (Array.isArray(value)) {
    return `[${value.map(sourceText).join(',')}]`;
  }
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).filter(([, entry]) => entry !== undefined);
    return `{${entries.map(([key, entry]) => `${keyText(key)}:${sourceText(entry)}`).join(',')}}`;
  }
  return JSON.stringify(value) ?? 'undefined';
}

/** Written as a plain key, `__proto__` would set the prototype. */
const keyText = (key: string): string => (key === '__proto__' ? `["${key}"]` : JSON.stringify(key));
