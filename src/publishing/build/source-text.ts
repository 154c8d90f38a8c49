import { parse, Token, tokTypes } from 'acorn';
import { FUNCTION_BODY } from '../../common/validation/code';

const LINE_BREAK = /[\n\r\u2028\u2029]/;
const PUNCTUATION_AT_END = /[;,(){}[\]:]$/;
const PUNCTUATION_AT_START = /^[;,(){}[\]:]/;

/**
 * Removes comments, indentation and redundant blanks from a function body. All tokens and the line breaks between them
 * are kept, so the code keeps its meaning and its language level. Code that is nested too deeply for the parser is
 * returned unchanged.
 * @throws SyntaxError if the body does not parse
 */
export function compactScript(body: string): string {
  const parts: string[] = [];
  let before = '';
  let end = 0;
  const onToken = (token: Token): void => {
    const text = tokenText(body, token);
    parts.push(separator(body.slice(end, token.start), before, text), text);
    before = text;
    end = token.end;
  };
  try {
    parse(body, { ...FUNCTION_BODY, onToken });
  } catch (error) {
    if (isOutOfStack(error)) {
      return body;
    }
    throw error;
  }
  return parts.join('');
}

/**
 * Whether the parser, which is recursive, ran out of stack. It may report this as a syntax error, so only the message
 * is checked.
 */
const isOutOfStack = (error: unknown): boolean => error instanceof Error && /\bstack\b/i.test(error.message);

/** `</script` in a string must not close the script element of a page that inlines the snippet. */
const escapeScriptEnd = (literal: string): string => literal.replace(/<\/(?=script)/gi, '<\\/');

function tokenText(body: string, { type, start, end }: Token): string {
  const text = body.slice(start, end);
  return type === tokTypes.string || type === tokTypes.regexp ? escapeScriptEnd(text) : text;
}

/** The separator that two tokens need when the `gap` between them, such as a comment, is removed. */
function separator(gap: string, before: string, after: string): string {
  if (gap === '' || before === '' || after === '') {
    return '';
  }
  if (LINE_BREAK.test(gap)) {
    return '\n';
  }
  return PUNCTUATION_AT_END.test(before) || PUNCTUATION_AT_START.test(after) ? '' : ' ';
}

/** A function written by a user. */
export class FunctionText {
  /** @param body statements that parse as the body of a function */
  constructor(readonly body: string) {}
}

/**
 * A value as JavaScript source: plain objects, arrays, text, numbers, booleans, and functions. Undefined fields of
 * objects are omitted.
 * @throws SyntaxError if the code of a function does not parse
 */
export function sourceText(value: unknown): string {
  if (value instanceof FunctionText) {
    // The line break ends a comment on the last line, because deeply nested code is not compacted and keeps its
    // comments.
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

/** An object key as source. Written as a plain key, `__proto__` would set the prototype. */
function keyText(key: string): string {
  if (key === '__proto__') {
    return `["${key}"]`;
  }
  return IDENTIFIER.test(key) ? key : sourceText(key);
}
