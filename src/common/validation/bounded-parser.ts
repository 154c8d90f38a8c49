import { Parser } from 'acorn';

/**
 * So deep the parser may call itself, in steps: a bracket takes six, an `else if` two, an operator one. That is about
 * half of what the stack has room for.
 */
const MAX_STEPS = 1_500;

/** All that the parser comes back to itself by, with what it takes. */
const RECURSIVE: readonly [method: string, steps: number][] = [
  ['parseStatement', 2],
  ['parseMaybeAssign', 2],
  ['parseMaybeUnary', 2],
  ['parseExprAtom', 2],
  ['parseExprOp', 1],
  ['parseBindingAtom', 6],
  ['regexp_disjunction', 6],
  ['regexp_eatNestedClass', 6],
];

type Method = (this: BoundedParser, ...parameters: unknown[]) => unknown;

/**
 * The parser of scripts, which refuses with a RangeError what is nested too deeply, long before the stack is full:
 * where little is left of it V8 ends the whole process instead of compiling a regular expression, such as one of the
 * parser's.
 */
export class BoundedParser extends Parser {
  steps = 0;
}

// Methods are how plugins extend this parser, though its types do not have them.
const methods = Parser.prototype as unknown as Record<string, Method>;

for (const [name, steps] of RECURSIVE) {
  const method = methods[name];
  const bounded: Method = function (...parameters) {
    this.steps += steps;
    if (this.steps > MAX_STEPS) {
      throw new RangeError('The code is nested too deeply.');
    }
    const result = method.apply(this, parameters);
    this.steps -= steps;
    return result;
  };
  Object.defineProperty(BoundedParser.prototype, name, { value: bounded });
}
