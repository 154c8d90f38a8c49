import { Parser } from 'acorn';

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
];

type Method = (this: BoundedParser, ...parameters: unknown[]) => unknown;

/**
 * A script parser that throws a RangeError for code that is nested too deeply, long before the stack overflows. When
 * little stack is left, V8 ends the whole process if it has to compile a regular expression, and the parser uses
 * regular expressions.
 */
export class BoundedParser extends Parser {
  steps = 0;
}

// Plugins extend this parser by overriding methods that its types do not declare.
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
