import { RE2JS, RE2JSException } from 're2js';
import { translatePattern, Translation, UnsupportedSyntaxError } from '../patterns/translation';

const MAX_LENGTH = 2_048;
/**
 * Maximum size of a compiled pattern, in instructions. Matching time is proportional to it. Typical patterns have 10 to
 * 40 instructions.
 */
const MAX_SIZE = 700;
const MAX_SIZE_TOGETHER = 2_000;

const TOO_LARGE =
  `The pattern is too large: it may have at most ${MAX_SIZE} steps when its repetitions are expanded. ` +
  'Use smaller counts in braces, or * and +.';
const TOO_LARGE_TOGETHER =
  `Together, the patterns of these conditions are too large: they may have at most ${MAX_SIZE_TOGETHER} steps when ` +
  'their repetitions are expanded. Use fewer or simpler patterns.';

/**
 * Null if the text is a regular expression that has the same meaning in browsers and on the server and can be matched
 * in linear time. Otherwise an error message.
 */
export type PatternCheck = (pattern: string) => string | null;

export const checkPattern: PatternCheck = (pattern) => createPatternCheck()(pattern);

/** Checks all patterns of one value together, because their total matching time is limited. */
export function createPatternCheck(): PatternCheck {
  let left = MAX_SIZE_TOGETHER;
  return (pattern) => {
    if (pattern.length > MAX_LENGTH && [...pattern].length > MAX_LENGTH) {
      return `The pattern may not be longer than ${MAX_LENGTH} characters.`;
    }
    if (left < 0) {
      return TOO_LARGE_TOGETHER;
    }
    const size = sizeOf(pattern);
    if (typeof size === 'string') {
      return size;
    }
    left -= size;
    return left < 0 ? TOO_LARGE_TOGETHER : null;
  };
}

/** The size of the pattern's program in instructions, or an error message. */
function sizeOf(pattern: string): number | string {
  const translation = translationOf(pattern);
  const problem = typeof translation === 'string' ? translation : syntaxProblem(pattern);
  if (problem !== null) {
    return problem;
  }
  const { source, atoms } = translation as Translation;
  // The number of atoms is a lower bound for the size, so a pattern that is too large is rejected without compiling it.
  const size = atoms > MAX_SIZE ? atoms : programSize(source);
  return size > MAX_SIZE ? TOO_LARGE : size;
}

/** @returns an error message if the syntax is not supported */
function translationOf(pattern: string): Translation | string {
  try {
    return translatePattern(pattern);
  } catch (error) {
    if (error instanceof UnsupportedSyntaxError) {
      return `The pattern has ${error.message}, which is not supported: patterns may use only RE2 syntax that has the same meaning in browsers.`;
    }
    throw error;
  }
}

/**
 * The error message if JavaScript's own engine does not accept the pattern; null otherwise. The pattern is only
 * compiled, never matched.
 */
function syntaxProblem(pattern: string): string | null {
  try {
    new RegExp(pattern);
    return null;
  } catch (error) {
    // For example `Invalid regular expression: /(/: Unterminated group`.
    const { message } = error as Error;
    return `The pattern does not compile: ${message.slice(message.lastIndexOf(': ') + 2)}.`;
  }
}

/** The size of a pattern's program in instructions; Infinity if the program is so large that the engine rejects it. */
function programSize(source: string): number {
  try {
    return RE2JS.compile(source).programSize();
  } catch (error) {
    if (error instanceof RE2JSException) {
      return Infinity;
    }
    throw error;
  }
}
