import { parse, Token, tokTypes } from 'acorn';
import { FUNCTION_BODY } from '../../common/validation/code';

const LINE_BREAK = /[\n\r\u2028\u2029]/;
const PUNCTUATION_AT_END = /[;,(){}[\]:]$/;
const PUNCTUATION_AT_START = /^[;,(){}[\]:]/;

/**
 * The same function body without comments, indentation and redundant blanks. All tokens and the line breaks between
 * them are kept, so the code keeps its meaning and its language level. Code that is nested too deeply for the parser
 * stays unchanged.
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

/** The parser is recursive, and reports a full stack with its own message. */
const isOutOfStack = (error: unknown): boolean => error instanceof Error && /\bstack\b/i.test(error.message);

/** In text, `</script` must not end the element of a page that inlines the snippet. */
export const escapeScriptEnd = (literal: string): string => literal.replace(/<\/(?=script)/gi, '<\\/');

function tokenText(body: string, { type, start, end }: Token): string {
  const text = body.slice(start, end);
  return type === tokTypes.string || type === tokTypes.regexp ? escapeScriptEnd(text) : text;
}

/** The separator that two tokens need in place of `gap`, such as a comment. */
function separator(gap: string, before: string, after: string): string {
  if (gap === '' || before === '' || after === '') {
    return '';
  }
  if (LINE_BREAK.test(gap)) {
    return '\n';
  }
  return PUNCTUATION_AT_END.test(before) || PUNCTUATION_AT_START.test(after) ? '' : ' ';
}
