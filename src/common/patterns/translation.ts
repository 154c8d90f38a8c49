import { plain, range } from './code-units';

/*
 * Each pattern is matched by two engines: the browser's own engine, and RE2 on the server, which runs in linear time.
 * Only syntax that both support is accepted. Where the engines differ (`.`, `\s`, characters beyond U+FFFF), the
 * translation gives the pattern the meaning that it has in JavaScript.
 */

/** Thrown if a pattern has a construct that only one of the two engines supports. */
export class UnsupportedSyntaxError extends Error {}

/** A pattern that consists of fixed text only. */
export interface LiteralPattern {
  text: string;
  /** Whether a matching text must start with `text`. */
  atStart: boolean;
  /** Whether a matching text must end with `text`. */
  atEnd: boolean;
}

export interface Translation {
  /** The pattern in RE2 syntax. */
  source: string;
  /** Null if the pattern does not consist of fixed text only. */
  literal: LiteralPattern | null;
  /**
   * The number of characters and classes after expanding repetitions, which is a lower bound for the number of steps
   * that RE2 needs.
   */
  atoms: number;
}

const LINE_ENDS = '\\n\\r\\x{2028}\\x{2029}';
/** The characters that `\s` matches in JavaScript, and their complement. */
const BLANKS =
  '\\t-\\r\\x{20}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}';
const NO_BLANKS =
  '\\x{0}-\\x{8}\\x{e}-\\x{1f}\\x{21}-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}' +
  '\\x{202a}-\\x{202e}\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}';
const CLASSES: Readonly<Record<string, string>> = {
  d: '\\d',
  D: '\\D',
  w: '\\w',
  W: '\\W',
  s: BLANKS,
  S: NO_BLANKS,
};
const CONTROLS: Readonly<Record<string, number>> = { t: 9, n: 10, v: 11, f: 12, r: 13 };

const HYPHEN = 0x2d;
const QUANTIFIER = /[*+?]\??|\{(\d+)(?:(,)(\d*))?\}\??/y;
const NAMED_GROUP = /\(\?<[A-Za-z_]\w*>/y;
const CODE = /\\(?:x([\da-f]{2})|u([\da-f]{4})|c([a-z]))/iy;
const POSIX_CLASS = /\[:/y;

const MAX_REPETITIONS = 1_000;
const MAX_GROUPS_INSIDE = 100;

/**
 * Translates a JavaScript pattern without flags to RE2. An invalid pattern stays invalid.
 * @throws UnsupportedSyntaxError with the unsupported construct and its position
 */
export const translatePattern = (pattern: string): Translation => new Translator(pattern).translate();

class Translator {
  private at = 0;
  private output = '';
  /** The atom counts of the open groups, the innermost last. */
  private readonly counts = [0];
  /** The number of atoms that a following quantifier would repeat. */
  private last = 0;
  private text: string | null = '';
  private atStart = false;
  private atEnd = false;

  constructor(private readonly pattern: string) {}

  translate(): Translation {
    while (this.at < this.pattern.length) {
      this.next();
    }
    const { output: source, text, atStart, atEnd } = this;
    const atoms = this.counts.reduce((sum, count) => sum + count, 0);
    return { source, literal: text === null ? null : { text, atStart, atEnd }, atoms };
  }

  private next(): void {
    const character = this.pattern[this.at];
    if (this.quantifier()) {
      return;
    }
    const read = this.readers[character] as (() => void) | undefined;
    if (read === undefined) {
      this.literal(1, character.charCodeAt(0));
    } else {
      read();
    }
  }

  private readonly readers: Readonly<Record<string, () => void>> = {
    '^': () => this.anchor('^'),
    $: () => this.anchor('$'),
    '(': () => this.open(),
    ')': () => this.close(),
    '|': () => this.take(1, '|', 0),
    '.': () => this.take(1, `[^${LINE_ENDS}]`, 1),
    '[': () => this.characterClass(),
    '\\': () => this.escape(),
  };

  private refuse(what: string, at = this.at): never {
    throw new UnsupportedSyntaxError(`${what} at character ${[...this.pattern.slice(0, at)].length + 1}`);
  }

  /** Consumes characters that are not part of fixed text. */
  private take(length: number, output: string, atoms: number): void {
    this.text = null;
    this.emit(length, output, atoms);
  }

  private emit(length: number, output: string, atoms: number): void {
    this.at += length;
    this.output += output;
    this.last = atoms;
    this.counts[this.counts.length - 1] += atoms;
  }

  private literal(length: number, unit: number): void {
    this.text = this.text === null ? null : this.text + String.fromCharCode(unit);
    this.emit(length, plain(unit), 1);
  }

  private anchor(character: '^' | '$'): void {
    if (character === '^' ? this.at === 0 : this.at === this.pattern.length - 1) {
      this.atStart ||= character === '^';
      this.atEnd ||= character === '$';
      this.emit(1, character === '^' ? '\\A' : '\\z', 0);
    } else {
      this.take(1, character === '^' ? '\\A' : '\\z', 0);
    }
  }

  private matching(shape: RegExp): RegExpExecArray | null {
    shape.lastIndex = this.at;
    return shape.exec(this.pattern);
  }

  private open(): void {
    const start = this.pattern.slice(this.at, this.at + 4);
    const named = this.matching(NAMED_GROUP);
    if (/^\(\?<?[=!]/.test(start)) {
      this.refuse(start.startsWith('(?<') ? 'a look-behind' : 'a look-ahead');
    } else if (start.startsWith('(?P')) {
      this.refuse('a group written as (?P');
    } else if (start.startsWith('(?<') && named === null) {
      this.refuse('a group name with characters other than letters, digits and underscores');
    } else if (start.startsWith('(?') && !start.startsWith('(?:') && named === null) {
      this.refuse(`the group ${start.slice(0, 3)}`);
    } else if (this.counts.length > MAX_GROUPS_INSIDE) {
      this.refuse(`a group nested in ${MAX_GROUPS_INSIDE} others`);
    }
    this.take(named?.[0].length ?? (start.startsWith('(?:') ? 3 : 1), '(?:', 0);
    this.counts.push(0);
  }

  private close(): void {
    this.take(1, ')', 0);
    if (this.counts.length > 1) {
      const inside = this.counts.pop() ?? 0;
      this.counts[this.counts.length - 1] += inside;
      this.last = inside;
    }
  }

  private quantifier(): boolean {
    const found = this.matching(QUANTIFIER);
    if (found === null) {
      return false;
    }
    const [written, from, comma, to] = found;
    const most = Math.max(Number(from ?? 1), Number(to === undefined || to === '' ? 1 : to));
    if (most > MAX_REPETITIONS) {
      this.refuse(`a repetition of more than ${MAX_REPETITIONS} times`);
    }
    const repeated = this.last * (from !== undefined && comma === undefined ? Number(from) : most);
    this.counts[this.counts.length - 1] += Math.max(0, repeated - this.last);
    this.text = null;
    this.at += written.length;
    this.output += written;
    return true;
  }

  private escape(): void {
    const letter = this.pattern.charAt(this.at + 1);
    const own = CLASSES[letter];
    if (letter === 'b' || letter === 'B') {
      this.take(2, `\\${letter}`, 0);
    } else if (Object.hasOwn(CLASSES, letter)) {
      this.take(2, `[${own}]`, 1);
    } else {
      const [length, unit] = this.escapedUnit();
      this.literal(length, unit);
    }
  }

  /** The code unit of an escape sequence, and the length of the sequence. */
  private escapedUnit(): [length: number, unit: number] {
    const letter = this.pattern.charAt(this.at + 1);
    const code = this.matching(CODE);
    if (code !== null) {
      const [written, byte, unit, control] = code;
      return [
        written.length,
        control === undefined ? parseInt(byte ?? unit, 16) : control.charCodeAt(0) % 32,
      ];
    }
    if (Object.hasOwn(CONTROLS, letter)) {
      return [2, CONTROLS[letter]];
    }
    if (letter === '0' && !/\d/.test(this.pattern.charAt(this.at + 2))) {
      return [2, 0];
    }
    if (/[1-9k]/.test(letter)) {
      this.refuse(`the back-reference \\${letter}`);
    }
    if (/[A-Za-z0-9]/.test(letter)) {
      this.refuse(`the escape \\${letter}`);
    }
    return [1 + letter.length, (letter === '' ? '\\' : letter).charCodeAt(0)];
  }

  private characterClass(): void {
    const start = this.at;
    const isNegated = this.pattern.charAt(start + 1) === '^';
    this.at += isNegated ? 2 : 1;
    if (this.pattern.charAt(this.at) === ']') {
      this.refuse(`the empty class ${isNegated ? '[^]' : '[]'}`, start);
    }
    let members = '';
    while (this.at < this.pattern.length && this.pattern[this.at] !== ']') {
      members += this.member();
    }
    this.take(1, `[${isNegated ? '^' : ''}${members}]`, 1);
  }

  /** Translates a character, a range or a class inside a character class. */
  private member(): string {
    const from = this.classAtom();
    const isRange = this.pattern[this.at] === '-' && (this.pattern[this.at + 1] ?? ']') !== ']';
    if (!isRange) {
      return typeof from === 'string' ? from : plain(from);
    }
    const start = this.at;
    this.at += 1;
    const to = this.classAtom();
    if (typeof from === 'string') {
      // A class cannot start a range, so the hyphen is literal.
      return from + plain(HYPHEN) + (typeof to === 'string' ? to : plain(to));
    }
    return typeof to === 'string' ? this.refuse('a range that ends with a class', start) : range(from, to);
  }

  /** The character at this position, or the members of the class at this position. */
  private classAtom(): number | string {
    if (this.matching(POSIX_CLASS) !== null) {
      this.refuse(`the class ${this.pattern.slice(this.at, this.at + 2)}`);
    }
    const letter = this.pattern[this.at] === '\\' ? this.pattern.charAt(this.at + 1) : '';
    if (Object.hasOwn(CLASSES, letter)) {
      this.at += 2;
      return CLASSES[letter];
    }
    if (letter === '') {
      this.at += 1;
      return this.pattern.charCodeAt(this.at - 1);
    }
    if (letter === 'b') {
      this.at += 2;
      return 8;
    }
    const [length, unit] = this.escapedUnit();
    this.at += length;
    return unit;
  }
}
