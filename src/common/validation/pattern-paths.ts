/**
 * How many ways through a pattern a backtracking engine may try, at most: `2 ** bits` times the length of the text to
 * the power of `loops`.
 */
export interface Paths {
  bits: number;
  loops: number;
  /** Can more than one way match? */
  forks: boolean;
  /** Is something that forks repeated without limit? Then the ways may be exponentially many. */
  tangled: boolean;
}

const ONE_PATH: Paths = { bits: 0, loops: 0, forks: false, tangled: false };

/** From here on, a range of repetitions counts as a loop instead of as so many alternatives. */
const WIDE_RANGE = 16;

interface Group {
  alternatives: Paths | null;
  sequence: Paths;
  lookaround: boolean;
}

// An escape, a class, an opening parenthesis with what follows it, or any other character; then maybe a quantifier.
const TERM = /(\\[^]|\[(?:\\[^]|[^\]\\])*\]|\((?:\?(?:<?[=!]|<[^>]*>|[^:]*:))?|[^])/;
const QUANTIFIER = /(?:(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})\??)?/;
const STEP = new RegExp(TERM.source + QUANTIFIER.source, 'gy');
const LOOKAROUND = /^\(\?<?[=!]/;

/** Counts the ways through a regular expression, which must be one that compiles. */
export function countPaths(pattern: string): Paths {
  const outer: Group[] = [];
  let group = openGroup('(');
  for (const [, term, ...quantifier] of pattern.matchAll(STEP)) {
    if (term.startsWith('(')) {
      outer.push(group);
      group = openGroup(term);
    } else if (term === '|') {
      group = { ...group, alternatives: allWays(group), sequence: ONE_PATH };
    } else {
      const paths = term === ')' ? closeGroup(group) : ONE_PATH;
      group = term === ')' ? (outer.pop() ?? group) : group;
      group = { ...group, sequence: inSequence(group.sequence, repeated(paths, limits(quantifier))) };
    }
  }
  return allWays(group);
}

function openGroup(token: string): Group {
  return { alternatives: null, sequence: ONE_PATH, lookaround: LOOKAROUND.test(token) };
}

function allWays({ alternatives, sequence }: Group): Paths {
  return alternatives === null ? sequence : either(alternatives, sequence);
}

/** The engine never returns into a lookaround for another way, so it forks nothing outside. */
function closeGroup(group: Group): Paths {
  const paths = allWays(group);
  return group.lookaround ? { ...paths, forks: false } : paths;
}

function inSequence(a: Paths, b: Paths): Paths {
  return {
    bits: a.bits + b.bits,
    loops: a.loops + b.loops,
    forks: a.forks || b.forks,
    tangled: a.tangled || b.tangled,
  };
}

function either(a: Paths, b: Paths): Paths {
  const more = Math.max(a.bits, b.bits);
  const fewer = Math.min(a.bits, b.bits);
  return {
    bits: more + Math.log2(1 + 2 ** (fewer - more)),
    loops: Math.max(a.loops, b.loops),
    forks: true,
    tangled: a.tangled || b.tangled,
  };
}

function repeated(paths: Paths, [min, max]: Limits): Paths {
  if (max === Infinity || (max - min >= WIDE_RANGE && !paths.forks)) {
    return { ...paths, loops: paths.loops + 1, forks: true, tangled: paths.tangled || paths.forks };
  }
  const copies = paths.forks ? max : 1;
  return {
    bits: paths.bits * copies + Math.log2(max - min + 1),
    loops: paths.loops * copies,
    forks: paths.forks || max > min,
    tangled: paths.tangled,
  };
}

type Limits = readonly [min: number, max: number];

const ONCE: Limits = [1, 1];

const SIGNS: ReadonlyMap<string, Limits> = new Map([
  ['*', [0, Infinity]],
  ['+', [1, Infinity]],
  ['?', [0, 1]],
]);

function limits([sign, from, comma, to]: readonly (string | undefined)[]): Limits {
  if (from === undefined) {
    return SIGNS.get(sign ?? '') ?? ONCE;
  }
  const min = Number(from);
  if (comma === undefined) {
    return [min, min];
  }
  return [min, to === '' ? Infinity : Number(to)];
}
