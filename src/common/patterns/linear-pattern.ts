import { LRUCache } from 'lru-cache';
import { RE2JSException, RE2Set } from 're2js';
import { MAX_COMPARED } from '../limits';
import { translatedText } from './code-units';
import { MatchingTime } from './matching-time';
import { LiteralPattern, translatePattern } from './translation';

/** Tests whether a string matches. */
export interface TextTest {
  test(text: string): boolean;
}

const MAX_CACHE_BYTES = 64 * 1024 * 1024;
/** Size of the engine's cache for each pattern, in bytes. When it is exceeded, matching is slower but still linear. */
const MAX_STATE_BYTES = 64 * 1024;
const INSTRUCTION_BYTES = 256;
/**
 * Fixed text of up to this many code units is found with a substring search, which is linear and faster than the
 * engine.
 */
const MAX_SEARCHED = 64;

interface Program {
  numInst(): number;
}

interface Compiled {
  /** Null if the engine rejects the pattern because it is too large. */
  program: RE2Set | null;
}

/** Compiled patterns of all projects; the size of the cache is limited in bytes. */
const programs = new LRUCache<string, Compiled>({
  maxSize: MAX_CACHE_BYTES,
  sizeCalculation: ({ program }, source) =>
    MAX_STATE_BYTES +
    ((program?.prog as Program | undefined)?.numInst() ?? 0) * INSTRUCTION_BYTES +
    2 * source.length,
});

function compiled(source: string): Compiled {
  const known = programs.get(source);
  if (known !== undefined) {
    return known;
  }
  const made = { program: compile(source) };
  programs.set(source, made);
  return made;
}

/**
 * Compiles a pattern in RE2 syntax; null if it is too large. New patterns are checked when they are saved, but stored
 * patterns may be older than this check.
 */
function compile(source: string): RE2Set | null {
  const program = new RE2Set(RE2Set.UNANCHORED, 0, MAX_STATE_BYTES);
  try {
    program.add(source);
    program.compile();
    return program;
  } catch (error) {
    if (error instanceof RE2JSException) {
      return null;
    }
    throw error;
  }
}

/**
 * A user's regular expression, matched in linear time with the same result as in browsers. Only the first
 * `MAX_COMPARED` code units of a string are matched. Within `MatchingTime.count`, a test can throw an UnavailableError.
 * @throws UnsupportedSyntaxError if its syntax cannot be matched in linear time
 */
export function linearPattern(pattern: string): TextTest {
  const { source, literal } = translatePattern(pattern);
  if (literal !== null && (literal.text.length <= MAX_SEARCHED || literal.atStart || literal.atEnd)) {
    return { test: (text) => isAt(literal, text.slice(0, MAX_COMPARED)) };
  }
  const matches = (text: string): boolean => {
    const { program } = compiled(source);
    return program !== null && program.match(translatedText(text.slice(0, MAX_COMPARED))).length > 0;
  };
  return { test: (text) => MatchingTime.current?.match(() => matches(text)) ?? matches(text) };
}

function isAt({ text: wanted, atStart, atEnd }: LiteralPattern, text: string): boolean {
  if (atStart) {
    return atEnd ? text === wanted : text.startsWith(wanted);
  }
  return atEnd ? text.endsWith(wanted) : text.includes(wanted);
}
