import type { ConditionInterface } from '@growthbook/growthbook';
import { linearPattern, TextTest } from '../common/patterns/linear-pattern';
import { MatchingTime } from '../common/patterns/matching-time';
import { UnsupportedSyntaxError } from '../common/patterns/translation';
import { EVERYONE, NO_ONE } from './build/audience-condition';
import type { Attributes, Rule } from './evaluation';

/*
 * The SDK evaluator matches patterns in conditions with a backtracking engine, which can take exponential time (ReDoS).
 * On the server, each pattern is replaced by a derived attribute that contains the result from a linear-time engine.
 */

/** A reserved attribute name. If the caller sets this attribute, the value is overwritten. */
const ANSWERS = '\0answers';

const PATTERN_OPERATORS = ['$regex', '$regexi'];

type Comparison = Record<string, unknown>;

interface Question {
  path: string[];
  pattern: TextTest;
}

/**
 * Rewrites conditions so that they contain no patterns. `derive` adds the results of matching the patterns as
 * attributes.
 */
export class LinearConditions {
  private readonly questions: Question[] = [];

  /**
   * Rewrites a condition from a Gosset publication. In publications, patterns are compared with attributes and never
   * nested in other operators.
   */
  rewrite(condition: ConditionInterface): ConditionInterface {
    return this.rewritten(condition, true);
  }

  /** Whether any of the rewritten conditions contained a pattern. */
  get areAsking(): boolean {
    return this.questions.length > 0;
  }

  /** Adds the results of matching the patterns, which are computed on access. */
  readonly derive = (attributes: Attributes): Attributes => {
    if (!this.areAsking) {
      return {};
    }
    const time = MatchingTime.current;
    const answer = (index: number): boolean => {
      const { path, pattern } = this.questions[index];
      const match = (): boolean => answers(pattern, valueAt(attributes, path));
      return time === undefined ? match() : time.count(match);
    };
    return { [ANSWERS]: new Proxy({}, { has: () => true, get: (_, index) => answer(Number(index)) }) };
  };

  /** @param isWanted false inside an odd number of `$not` operators */
  private rewritten(condition: object, isWanted: boolean): ConditionInterface {
    const parts = Object.entries(condition as Comparison).map(([name, value]): ConditionInterface => {
      switch (name) {
        case '$and':
        case '$or':
          return {
            [name]: (value as object[]).map((each) => this.rewritten(each, isWanted)),
          };
        case '$nor':
          return { $nor: (value as object[]).map((each) => this.rewritten(each, !isWanted)) };
        case '$not':
          return { $not: this.rewritten(value as object, !isWanted) };
        default:
          return hasPattern(value)
            ? this.compared(name, value as Comparison, isWanted)
            : ({ [name]: value } as ConditionInterface);
      }
    });
    return parts.length === 1 ? parts[0] : { $and: parts };
  }

  /** Rewrites a comparison. If its pattern cannot be matched in linear time, the comparison matches no visitor. */
  private compared(path: string, comparison: Comparison, isWanted: boolean): ConditionInterface {
    const { $regex, ...others } = comparison;
    const pattern = hasPattern(others) || typeof $regex !== 'string' ? null : supported($regex);
    if (pattern === null) {
      return isWanted ? NO_ONE : EVERYONE;
    }
    const asked = { [`${ANSWERS}.${this.questions.push({ path: path.split('.'), pattern }) - 1}`]: true };
    return Object.keys(others).length === 0 ? asked : { $and: [{ [path]: others }, asked] };
  }
}

/** Converts a rule's condition to the form that the server needs, together with its derived attributes. */
export function linearCondition(given: ConditionInterface): Pick<Rule, 'condition' | 'derive'> {
  const conditions = new LinearConditions();
  const condition = conditions.rewrite(given);
  return conditions.areAsking ? { condition, derive: conditions.derive } : { condition };
}

function hasPattern(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.entries(value).some(([name, each]) => PATTERN_OPERATORS.includes(name) || hasPattern(each))
  );
}

function supported(source: string): TextTest | null {
  try {
    return linearPattern(source);
  } catch (error) {
    if (error instanceof UnsupportedSyntaxError) {
      return null;
    }
    throw error;
  }
}

/** The value that the SDK would find at the path. */
function valueAt(attributes: Attributes, path: readonly string[]): unknown {
  let current: unknown = attributes;
  for (const name of path) {
    if (typeof current !== 'object' || current === null || !(name in current)) {
      return null;
    }
    current = (current as Attributes)[name];
  }
  return current;
}

/**
 * Whether a pattern matches a value. As with `RegExp`, values that are not strings are converted to strings; if the
 * conversion fails, there is no match.
 */
function answers(pattern: TextTest, value: unknown): boolean {
  try {
    return pattern.test(String(value));
  } catch (error) {
    if (error instanceof TypeError) {
      return false;
    }
    throw error;
  }
}
