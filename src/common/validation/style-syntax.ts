import { CssNode, fork, SyntaxConfig, SyntaxParseError, tokenize, TokenStream, tokenTypes } from 'css-tree';

/** A position in the text. Both numbers start at 1. */
export interface Position {
  line: number;
  column: number;
}

/** A syntax error that the CSS parser itself does not report. */
export class StyleError extends SyntaxError {
  readonly line: number;
  readonly column: number;

  constructor(reason: string, { line, column }: Position) {
    super(reason);
    this.line = line;
    this.column = column;
  }
}

interface NodeParser extends TokenStream {
  Rule(): CssNode;
}

interface NodeDefinition {
  parse: (this: NodeParser) => CssNode;
}

/**
 * CSS as current browsers parse it. The parser itself accepts nested rules only if they start with `&`, but browsers
 * accept any selector.
 */
const syntax = fork((config: SyntaxConfig) => {
  const nodes = config.node as Record<string, NodeDefinition>;
  const parseDeclaration = nodes.Declaration.parse;
  const Declaration: NodeDefinition = {
    ...nodes.Declaration,
    parse() {
      return startsNestedRule(this) ? this.Rule() : parseDeclaration.call(this);
    },
  };
  return { ...config, node: { ...nodes, Declaration } };
});

/**
 * A nested rule has a block before the next semicolon. The only other construct with such a block is a custom property,
 * whose value is arbitrary.
 */
function startsNestedRule(parser: NodeParser): boolean {
  if (isInParentheses(parser) || parser.source.startsWith('--', parser.tokenStart)) {
    return false;
  }
  let offset = 0;
  while (!STATEMENT_ENDS.has(parser.lookupType(offset))) {
    offset += 1;
  }
  return parser.lookupType(offset) === tokenTypes.LeftCurlyBracket;
}

/**
 * Whether the position follows an opening parenthesis. Conditions such as `@supports (display: grid)` also contain
 * declarations.
 */
function isInParentheses(parser: NodeParser): boolean {
  let offset = -1;
  while (BLANKS.has(parser.lookupType(offset))) {
    offset -= 1;
  }
  return PARENTHESES.has(parser.lookupType(offset));
}

const BLANKS: ReadonlySet<number> = new Set([tokenTypes.WhiteSpace, tokenTypes.Comment]);
const PARENTHESES: ReadonlySet<number> = new Set([tokenTypes.LeftParenthesis, tokenTypes.Function]);
const STATEMENT_ENDS: ReadonlySet<number> = new Set([
  tokenTypes.EOF,
  tokenTypes.Semicolon,
  tokenTypes.LeftCurlyBracket,
  tokenTypes.RightCurlyBracket,
]);

/**
 * Nesting up to this depth takes only a small part of the stack. When little stack is left, V8 ends the process if it
 * has to compile a regular expression.
 */
const MAX_NESTING = 100;

// Limits backtracking, because each step back takes time proportional to the length of the text.
const MAX_GUESSES = 1_000;

/** Parses the text, and throws the first error instead of recovering from it as browsers do. */
export function parseStyle(
  text: string,
  context: 'stylesheet' | 'selectorList',
  onToken?: (type: number) => void,
): CssNode {
  let guesses = 0;
  return syntax.parse(text, {
    context,
    positions: true,
    onToken,
    onParseError(error: SyntaxParseError, fallback: CssNode | null) {
      // Without a fallback, the parser has only rejected one interpretation of a condition and tries the next one.
      if (fallback !== null) {
        throw error;
      }
      guesses += 1;
      if (guesses > MAX_GUESSES) {
        throw new StyleError('Too many nested conditions', error);
      }
    },
  });
}

const OPENERS: ReadonlyMap<number, { text: string; closedBy: number }> = new Map([
  [tokenTypes.Function, { text: '(', closedBy: tokenTypes.RightParenthesis }],
  [tokenTypes.LeftParenthesis, { text: '(', closedBy: tokenTypes.RightParenthesis }],
  [tokenTypes.LeftSquareBracket, { text: '[', closedBy: tokenTypes.RightSquareBracket }],
  [tokenTypes.LeftCurlyBracket, { text: '{', closedBy: tokenTypes.RightCurlyBracket }],
]);
const CLOSERS: ReadonlySet<number> = new Set([...OPENERS.values()].map(({ closedBy }) => closedBy));

const BROKEN: ReadonlyMap<number, string> = new Map([
  [tokenTypes.BadString, 'The string is not closed'],
  [tokenTypes.BadUrl, 'The address in url() is malformed'],
]);

/** The last characters of a complete token, for the kinds of tokens that the end of the text can truncate. */
const LAST_CHARACTERS: ReadonlyMap<number, { pattern: RegExp; reason: string }> = new Map([
  [tokenTypes.String, { pattern: /["']/, reason: 'The string is not closed' }],
  [tokenTypes.Url, { pattern: /\)/, reason: 'The url() is not closed' }],
  [tokenTypes.Comment, { pattern: /\//, reason: 'The comment is not closed' }],
]);

interface Imbalance {
  reason: string;
  offset: number;
}

interface OpenBracket {
  text: string;
  closedBy: number;
  offset: number;
}

/**
 * Throws at the first bracket, string or comment that is not closed, or at a closing bracket without an opening one. At
 * the end of a style sheet, browsers and the parser close any open constructs, but here other styles may follow the
 * text.
 * @throws RangeError if too many brackets are open
 */
export function refuseImbalance(text: string): void {
  const open: OpenBracket[] = [];
  const refuse = ({ reason, offset }: Imbalance): never => {
    throw new StyleError(reason, positionAt(text, offset));
  };
  // This line break becomes part of the last token if that token is incomplete.
  const source = `${text}\n`;
  tokenize(source, (type, start, end) => {
    const opener = OPENERS.get(type);
    if (opener !== undefined) {
      if (open.length === MAX_NESTING) {
        throw new RangeError('The text is nested too deeply.');
      }
      open.push({ ...opener, offset: start });
      return;
    }
    const imbalance = CLOSERS.has(type)
      ? closingImbalance(open, type, source[start], start)
      : brokenToken(type, source[end - 1], start);
    if (imbalance !== null) {
      refuse(imbalance);
    }
  });
  const last = open.at(-1);
  if (last !== undefined) {
    refuse(neverClosed(last));
  }
}

function closingImbalance(open: OpenBracket[], type: number, text: string, offset: number): Imbalance | null {
  const last = open.pop();
  if (last?.closedBy === type) {
    return null;
  }
  const closesAnother = open.some(({ closedBy }) => closedBy === type);
  return last !== undefined && closesAnother ? neverClosed(last) : { reason: `unmatched "${text}"`, offset };
}

const neverClosed = ({ text, offset }: OpenBracket): Imbalance => ({
  reason: `"${text}" is not closed`,
  offset,
});

function brokenToken(type: number, lastCharacter: string, offset: number): Imbalance | null {
  const broken = BROKEN.get(type);
  if (broken !== undefined) {
    return { reason: broken, offset };
  }
  const ending = LAST_CHARACTERS.get(type);
  return ending === undefined || ending.pattern.test(lastCharacter)
    ? null
    : { reason: ending.reason, offset };
}

/** The line and column of an offset. */
export function positionAt(text: string, offset: number): Position {
  const lines = text.slice(0, offset).split(/\r\n?|[\n\f]/);
  return { line: lines.length, column: (lines.at(-1) ?? '').length + 1 };
}
