import { type Token, tokTypes } from 'acorn';

const LINE_BREAK = /[\n\r\u2028\u2029]/;
const PUNCTUATION = new Set(';,(){}[]:');

/** `</script` in a string must not close the script element of a page that inlines the snippet. */
export const escapeScriptEnd = (literal: string): string => literal.replace(/<\/(?=script)/gi, '<\\/');

/**
 * Removes comments, indentation and redundant spaces from a script. All tokens and the line breaks between them are
 * kept, so neither the meaning nor the language level of the code changes.
 */
export class CompactCode {
  private readonly parts: string[] = [];
  /** The code from `begin` to `end` is a run of tokens without gaps. It is not in `parts` yet. */
  private begin = 0;
  private end = 0;

  constructor(private readonly code: string) {}

  /** Adds the next token, as the parser reads it. */
  readonly add = ({ type, start, end }: Token): void => {
    if (start > this.end) {
      this.endRun();
      this.parts.push(this.separator(start));
      this.begin = start;
    }
    this.end = end;
    if (type === tokTypes.string || type === tokTypes.regexp) {
      this.parts.push(this.code.slice(this.begin, start), escapeScriptEnd(this.code.slice(start, end)));
      this.begin = end;
    }
  };

  /** The compact code, once all tokens have been added. */
  text(): string {
    this.endRun();
    return this.parts.join('');
  }

  private endRun(): void {
    this.parts.push(this.code.slice(this.begin, this.end));
    this.begin = this.end;
  }

  /** The separator that two tokens need when the gap between them, such as a comment, has been removed. */
  private separator(start: number): string {
    const { code, end } = this;
    if (end === 0 || start === code.length) {
      return '';
    }
    if (LINE_BREAK.test(code.slice(end, start))) {
      return '\n';
    }
    return PUNCTUATION.has(code[end - 1]) || PUNCTUATION.has(code[start]) ? '' : ' ';
  }
}
