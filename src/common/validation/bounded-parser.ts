import { type Options, Parser, tokTypes, type TokenType } from 'acorn';

/**
 * The names that a scope declares. Replaces the array in which the parser searches for each new name, so the time to
 * parse a script grows with its length instead of the square of its length.
 */
export class ScopeNames {
  /** The first name. */
  0?: string;

  private readonly names = new Set<string>();

  push(name: string): void {
    this[0] ??= name;
    this.names.add(name);
  }

  /** 0 for a declared name, otherwise -1. The parser only needs to know whether the name is declared. */
  indexOf(name: string): number {
    return this.names.has(name) ? 0 : -1;
  }
}

/**
 * Maximum recursion depth of the parser in steps. A bracket takes six steps, an `else if` two, and an operator one. The
 * limit is about half of the stack's capacity.
 */
const MAX_STEPS = 1_500;

/** The recursive methods of the parser, with the number of steps that each call takes. */
const RECURSIVE: readonly [method: string, steps: number][] = [
  ['parseStatement', 2],
  ['parseMaybeAssign', 2],
  ['parseMaybeUnary', 2],
  ['parseExprAtom', 2],
  ['parseExprOp', 1],
  ['parseBindingAtom', 6],
  ['regexp_disjunction', 6],
  ['regexp_eatNestedClass', 6],
  // After an HTML-like comment, these methods read the next token.
  ['readToken_plus_min', 2],
  ['readToken_lt_gt', 2],
];

/** Maximum number of blocks around `var` declarations, added up over all declarations of a script. */
const MAX_HOISTS = 1_000_000;

/** Maximum number of comparisons between the positions of regular expression groups that have the same name. */
const MAX_COMPARISONS = 50_000_000;
/** At most as many groups can be nested in each other. */
const MAX_GROUP_DEPTH = 250;

/** Maximum number of characters in which the parser searches for the ends of escapes such as `\u{1F600}`. */
const MAX_SEARCHED = 10_000_000;

/** The script exceeds a limit of the parser. The message completes a sentence that begins with "The script". */
export class CodeLimitError extends RangeError {}

interface Scope {
  var: ScopeNames;
  lexical: ScopeNames;
  functions: ScopeNames;
  varScope?: Scope;
  thisScope?: Scope;
}

/** An alternative in a regular expression. Its parent is the alternative that contains its group. */
interface Alternative {
  parent: Alternative | null;
}

interface RegExpState {
  source: string;
  flags: string;
  lastStringValue: string;
  groupNames: Record<string, Alternative[] | undefined>;
  branchID: Alternative;
}

/** Members of the parser that its types do not declare. Plugins extend the parser by overriding its methods. */
interface ParserInternals {
  pos: number;
  scopeStack: Scope[];
  regexpState: RegExpState;
  enterScope(flags: number): void;
  currentScope(): Scope;
  currentVarScope(): Scope;
  currentThisScope(): Scope;
  declareName(name: string, binding: number, position: number): void;
  readHexChar(length: number): number;
  readRegexp(): void;
  validateRegExpPattern(state: RegExpState): void;
  regexp_groupSpecifier(state: RegExpState): void;
  finishToken(type: TokenType, value: unknown): void;
}

const ExtensibleParser = Parser as unknown as Pick<
  typeof Parser,
  'parse' | 'parseExpressionAt' | 'tokenizer'
> & {
  new (options: Options, input: string, start?: number): Parser & ParserInternals;
};

/** The parser's constant for names declared with `var`. */
const BIND_VAR = 1;

/** Thrown after a regular expression has been validated, before it would be compiled. */
const VALIDATED = new Error('The regular expression is valid.');

/**
 * A script parser that takes time proportional to the length of the code. Throws a CodeLimitError for code that would
 * take longer, or that is nested too deeply, long before the stack overflows. When little stack is left, V8 ends the
 * whole process if it has to compile a regular expression, and the parser uses regular expressions.
 */
export class BoundedParser extends ExtensibleParser {
  steps = 0;
  private hoists = 0;
  private comparisons = 0;
  private searched = 0;

  override enterScope(flags: number): void {
    super.enterScope(flags);
    Object.assign(this.currentScope(), {
      var: new ScopeNames(),
      lexical: new ScopeNames(),
      functions: new ScopeNames(),
    });
  }

  // Asked for each identifier, and otherwise searched for in all enclosing blocks.
  override currentVarScope(): Scope {
    return (this.currentScope().varScope ??= super.currentVarScope());
  }

  override currentThisScope(): Scope {
    return (this.currentScope().thisScope ??= super.currentThisScope());
  }

  // Every enclosing block records a `var` declaration, because the block may not declare the same name with `let`.
  override declareName(name: string, binding: number, position: number): void {
    if (binding === BIND_VAR) {
      this.hoists += this.scopeStack.length - this.scopeStack.lastIndexOf(this.currentVarScope());
      refuseAbove(MAX_HOISTS, this.hoists, 'declares too many variables with var inside nested blocks');
    }
    super.declareName(name, binding, position);
  }

  // Tagged templates may contain unfinished escapes. Their ends have been searched for in all of the remaining code.
  override readHexChar(length: number): number {
    this.searched += length < 0 ? this.input.length - this.pos : length;
    refuseAbove(MAX_SEARCHED, this.searched, 'has too many unfinished escapes in templates');
    return super.readHexChar(length);
  }

  // The grammar is checked without compiling the expression, as V8 takes minutes to compile some that are valid, such
  // as many `\W` in one character class with the flags `iu`.
  override readRegexp(): void {
    try {
      super.readRegexp();
    } catch (error) {
      if (error !== VALIDATED) {
        throw error;
      }
      const { source, flags } = this.regexpState;
      this.finishToken(tokTypes.regexp, { pattern: source, flags, value: null });
    }
  }

  override validateRegExpPattern(state: RegExpState): void {
    super.validateRegExpPattern(state);
    throw VALIDATED;
  }

  // The positions of groups with the same name are compared, because such groups must be in different alternatives.
  override regexp_groupSpecifier(state: RegExpState): void {
    state.lastStringValue = '';
    super.regexp_groupSpecifier(state);
    const others = (state.groupNames[state.lastStringValue]?.length ?? 1) - 1;
    if (others > 0) {
      this.comparisons += others * depthOf(state.branchID) * MAX_GROUP_DEPTH;
      refuseAbove(
        MAX_COMPARISONS,
        this.comparisons,
        'has too many regular expression groups of the same name',
      );
    }
  }
}

function refuseAbove(limit: number, count: number, problem: string): void {
  if (count > limit) {
    throw new CodeLimitError(problem);
  }
}

function depthOf(alternative: Alternative): number {
  let depth = 0;
  for (let each: Alternative | null = alternative; each !== null; each = each.parent) {
    depth += 1;
  }
  return depth;
}

type Method = (this: BoundedParser, ...parameters: unknown[]) => unknown;

const methods = Parser.prototype as unknown as Record<string, Method>;

for (const [name, steps] of RECURSIVE) {
  const method = methods[name];
  const bounded: Method = function (...parameters) {
    this.steps += steps;
    refuseAbove(MAX_STEPS, this.steps, 'is nested too deeply');
    const result = method.apply(this, parameters);
    this.steps -= steps;
    return result;
  };
  Object.defineProperty(BoundedParser.prototype, name, { value: bounded });
}
