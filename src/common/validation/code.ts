import { Expression, Options, tokTypes } from 'acorn';
import { CssNode, Selector, tokenTypes, walk } from 'css-tree';
import { BoundedParser, CodeLimitError } from './bounded-parser';
import { cachedByCode } from './code-cache';
import { CompactCode } from './compact-code';
import { parseStyle, Position, positionAt, refuseImbalance, StyleError } from './style-syntax';

type Subject = 'script' | 'style' | 'selector';

// `#!` lines are only valid at the start of script files, and this code becomes a function body.
const SCRIPT: Options = { ecmaVersion: 'latest', sourceType: 'script', allowHashBang: false };
/** Parser options for user code: a function body in a script. */
export const FUNCTION_BODY: Options = { ...SCRIPT, allowReturnOutsideFunction: true };
// Keeps parentheses as nodes. Otherwise, a parenthesized expression would appear to end before its closing parenthesis.
const EXPRESSION: Options = { ...SCRIPT, preserveParens: true };

const MAX_REASON = 200;

interface ParsedCode {
  /** Null if the code parses; otherwise an error message. */
  problem: string | null;
  /** The compact code; the unchanged code if it exceeds a limit of the parser; null if it does not parse. */
  compact: string | null;
}

function parse(code: string, options: Options): ParsedCode {
  const compacting = new CompactCode(code);
  let compact: string | null = null;
  const problem = problemOf('script', () => {
    try {
      BoundedParser.parse(code, { ...options, onToken: compacting.add });
      compact = compacting.text();
    } catch (error) {
      compact = error instanceof RangeError ? code : null;
      throw error;
    }
  });
  return { problem, compact };
}

// The same code is checked when it is saved and whenever it is published, and compacted for each publication.
const parsedScript = cachedByCode('script', (code) => parse(code, SCRIPT));
const parsedBody = cachedByCode('body', (code) => parse(code, FUNCTION_BODY));

/**
 * Null if the code parses as a script that has no imports or exports, and no `return` or `await` at the top level;
 * otherwise an error message.
 */
export const checkScript = (code: string): string | null => parsedScript(code).problem;

/** Null if the code parses as a script in which `return` is allowed at the top level; otherwise an error message. */
export const checkFunctionBody = (code: string): string | null => parsedBody(code).problem;

/**
 * A function body without comments, indentation and redundant spaces. Code that exceeds a limit of the parser is
 * returned unchanged.
 * @throws SyntaxError if the body does not parse
 */
export function compactScript(body: string): string {
  // Most bodies are scripts, which have been parsed by `checkScript`. Others have a `return` at the top level.
  const script = parsedScript(body);
  const { problem, compact } = script.problem === null ? script : parsedBody(body);
  if (compact === null) {
    throw new SyntaxError(problem ?? undefined);
  }
  return compact;
}

interface FoundExpression {
  expression: Expression;
  /** The code up to the end of the expression, without the semicolons and comments that follow. */
  source: string;
}

/** The expression in code that is a single expression, such as `location.hash === '#a'` or `a;`; null for other code. */
export function expressionIn(code: string): FoundExpression | null {
  let found: FoundExpression | null = null;
  problemOf('script', () => {
    const expression = BoundedParser.parseExpressionAt(code, 0, EXPRESSION);
    const rest = BoundedParser.tokenizer(code.slice(expression.end), SCRIPT);
    let next = rest.getToken();
    const isStatement = next.type === tokTypes.semi;
    while (next.type === tokTypes.semi) {
      next = rest.getToken();
    }
    const isOther = isStatement && isDeclarationOrBlock(expression);
    if (next.type === tokTypes.eof && !isOther) {
      found = { expression, source: code.slice(0, expression.end) };
    }
  });
  return found;
}

/** Whether an expression, as a statement, would be a declaration such as `function named() {}`, or a block. */
const isDeclarationOrBlock = (expression: Expression): boolean =>
  expression.type === 'ObjectExpression' ||
  ((expression.type === 'FunctionExpression' || expression.type === 'ClassExpression') &&
    (expression.id ?? null) !== null);

/** Null if the text is a valid style sheet with balanced brackets, strings and comments; otherwise an error message. */
export function checkStyle(css: string): string | null {
  return problemOf('style', () => {
    refuseImbalance(css);
    parseStyle(css, 'stylesheet');
  });
}

/** Null if the text is a list of CSS selectors that can match elements of a document; otherwise an error message. */
export function checkSelector(selector: string): string | null {
  if (selector.trim() === '') {
    return 'The selector may not be empty.';
  }
  return problemOf('selector', () => {
    refuseImbalance(selector);
    let lastToken = 0;
    const list = parseStyle(selector, 'selectorList', (type) => {
      lastToken = type;
    });
    if (lastToken === tokenTypes.Comma) {
      throw new StyleError('Selector is expected', positionAt(selector, selector.length - 1));
    }
    refuseUselessSelectors(list, selector);
  });
}

const COMBINATORS: ReadonlySet<string> = new Set([' ', '>', '+', '~']);

/**
 * Rejects selectors that the parser accepts but browsers do not: dangling combinators, keyframe percentages, and ids
 * such as `#1`.
 */
function refuseUselessSelectors(list: CssNode, text: string): void {
  walk(list, {
    visit: 'Selector',
    enter(selector) {
      const relative =
        this.function?.type === 'PseudoClassSelector' && this.function.name.toLowerCase() === 'has';
      const reason = uselessPart(selector, relative);
      if (reason !== null) {
        throw new StyleError(reason, selector.loc?.start ?? positionAt(text, 0));
      }
    },
  });
}

function uselessPart({ children }: Selector, relative: boolean): string | null {
  // A combinator must be between two compound selectors. It is invalid at the start or end, or next to another
  // combinator.
  let afterCombinator = !relative;
  for (const part of children.toArray()) {
    if (part.type === 'Combinator' && (afterCombinator || !COMBINATORS.has(part.name))) {
      return `Unexpected combinator "${part.name}"`;
    }
    if (part.type === 'Percentage' || (part.type === 'IdSelector' && /^-?\d/.test(part.name))) {
      return 'Selector is expected';
    }
    afterCombinator = part.type === 'Combinator';
  }
  return afterCombinator ? 'Selector is expected after the combinator' : null;
}

/**
 * The error message if parsing fails; null if it succeeds. The parsers are recursive, and throw a RangeError for code
 * that is nested too deeply.
 */
function problemOf(subject: Subject, parse: () => void): string | null {
  try {
    parse();
    return null;
  } catch (error) {
    if (error instanceof CodeLimitError) {
      return `The ${subject} ${error.message}.`;
    }
    if (error instanceof RangeError) {
      return `The ${subject} is nested too deeply.`;
    }
    if (!isSyntaxError(error)) {
      throw error;
    }
    const { line, column } = positionOf(error);
    const reason = error.message.replace(/ \(\d+:\d+\)$/, '').slice(0, MAX_REASON);
    return `The ${subject} does not parse: ${reason} (line ${line}, column ${column}).`;
  }
}

/** A syntax error with its position. Errors in scripts have a `loc`; errors in styles have `line` and `column`. */
type LocatedError = Error & (Position | { loc: Position });

function isSyntaxError(error: unknown): error is LocatedError {
  return error instanceof Error && error.name === 'SyntaxError' && ('loc' in error || 'line' in error);
}

function positionOf(error: LocatedError): Position {
  return 'loc' in error ? { line: error.loc.line, column: error.loc.column + 1 } : error;
}
