import { createRequire } from 'node:module';
import { LRUCache } from 'lru-cache';
import type { checkSync } from 'recheck';
import { countPaths, Paths } from './pattern-paths';

const MAX_LENGTH = 2_048;
const MAX_ATTACK_LENGTH = 100;
const TIMEOUT_MS = 1_000;
const ALLOWANCE_MS = 2_000;

/*
 * Most patterns have so few ways through them that counting shows they are harmless. The rest is analysed, which may
 * take a second. What cannot be shown to be harmless within that time is refused.
 */
const HARMLESS_BITS = 16;
const HARMLESS_LOOPS = 10;

const UNDECIDED =
  'The pattern is too complex to tell whether it may take exponential time. Simplify what is repeated inside of ' +
  'repetitions.';

/** Null when the text is a regular expression that cannot take exponential time to match. */
export type PatternCheck = (pattern: string) => string | null;

export const checkPattern: PatternCheck = (pattern) => createPatternCheck()(pattern);

/** A check for all patterns of one value, which bounds the time that their analysis takes together. */
export function createPatternCheck(): PatternCheck {
  let allowance = ALLOWANCE_MS;
  return (pattern) => {
    const reason = compileProblem(pattern);
    if (reason !== null) {
      return reason;
    }
    const paths = countPaths(pattern);
    if (!paths.tangled && paths.bits <= HARMLESS_BITS && paths.loops <= HARMLESS_LOOPS) {
      return null;
    }
    const started = performance.now();
    const problem = analyse(pattern, paths, Math.min(TIMEOUT_MS, allowance));
    allowance -= performance.now() - started;
    return problem;
  };
}

function compileProblem(pattern: string): string | null {
  if ([...pattern].length > MAX_LENGTH) {
    return `The pattern may not be longer than ${MAX_LENGTH} characters.`;
  }
  try {
    new RegExp(pattern);
    return null;
  } catch (error) {
    // `Invalid regular expression: /(/: Unterminated group`
    const { message } = error as Error;
    return `The pattern does not compile: ${message.slice(message.lastIndexOf(': ') + 2)}.`;
  }
}

interface Verdict {
  problem: string | null;
}

/** The same patterns come again with every update of their record. */
const verdicts = new LRUCache<string, Verdict>({ max: 500 });

/** An analysis that ran out of time may succeed when the server is less busy. */
const UNDECIDED_TTL_MS = 60_000;

function analyse(pattern: string, paths: Paths, timeout: number): string | null {
  const known = verdicts.get(pattern);
  if (known !== undefined) {
    return known.problem;
  }
  if (timeout <= 0) {
    return UNDECIDED;
  }
  const problem = judge(pattern, paths, timeout);
  const ttl = problem === UNDECIDED ? UNDECIDED_TTL_MS : 0;
  if (problem !== UNDECIDED || timeout === TIMEOUT_MS) {
    verdicts.set(pattern, { problem }, { ttl });
  }
  return problem;
}

/** What may hold at the start of a text only because of what precedes it there, so that it must not be moved there. */
const LOOKS_BACK = /\\b|\(\?<?[=!]/i;

function judge(pattern: string, paths: Paths, timeout: number): string | null {
  // Where a match starts makes no exponential difference, and the analysis is much faster for a fixed start.
  const source = LOOKS_BACK.test(pattern) ? pattern : `^(?:${pattern})`;
  // Automata do not tell apart the many ways through a pattern without unlimited repetitions; trying it does.
  const checker = paths.bits > HARMLESS_BITS ? 'fuzz' : 'auto';
  try {
    const result = recheck().checkSync(source, '', { checker, timeout });
    if (result.status === 'unknown') {
      return UNDECIDED;
    }
    const exponential = result.status === 'vulnerable' && result.complexity.type === 'exponential';
    return exponential ? exponentialProblem(result.attack.pattern) : null;
  } catch {
    // The analysis overflows the stack on deeply nested patterns.
    return UNDECIDED;
  }
}

function exponentialProblem(attack: string): string {
  const example = attack.length <= MAX_ATTACK_LENGTH ? `, for example on ${attack}` : '';
  return (
    `The pattern may take exponential time${example}. ` +
    'Make sure that what is repeated can match the same text in one way only.'
  );
}

interface Recheck {
  checkSync: typeof checkSync;
}

let loaded: Recheck | undefined;

/**
 * The variant for browsers is pure JavaScript and works in this thread; the main one starts a worker and looks for
 * Java or native programs. It is large, so it is loaded when the first pattern needs it.
 */
function recheck(): Recheck {
  loaded ??= createRequire(__filename)('recheck/lib/browser.js') as Recheck;
  return loaded;
}
