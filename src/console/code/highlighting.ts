import { type Comment, type Token, tokTypes } from 'acorn';
import { BoundedParser } from '../../common/validation/bounded-parser';
import { FUNCTION_BODY } from '../../common/validation/code';

/** Maximum length of a highlighted script, in characters. */
const MAX_LENGTH = 200_000;

export type PartKind = 'plain' | 'comment' | 'keyword' | 'number' | 'string';

/** A part of a line. */
export interface CodePart {
  kind: PartKind;
  text: string;
}

export type CodeLine = CodePart[];

/** The lines of the text, without colours. */
export const plainLines = (text: string): CodeLine[] => linesOf([{ kind: 'plain', text }]);

/** The lines of a script, highlighted unless the script does not parse or is very long. */
export function scriptLines(script: string): CodeLine[] {
  return script.length > MAX_LENGTH ? plainLines(script) : linesOf(partsOf(script));
}

interface Range {
  kind: PartKind;
  start: number;
  end: number;
}

function partsOf(script: string): CodePart[] {
  const parts: CodePart[] = [];
  let end = 0;
  const add = (kind: PartKind, until: number): void => {
    if (until > end) {
      parts.push({ kind, text: script.slice(end, until) });
      end = until;
    }
  };
  for (const range of coloredRanges(script)) {
    add('plain', range.start);
    add(range.kind, range.end);
  }
  add('plain', script.length);
  return parts;
}

/** Comments and coloured tokens in the order of the script; none if the script does not parse. */
function coloredRanges(script: string): Range[] {
  const tokens: Token[] = [];
  const comments: Comment[] = [];
  try {
    BoundedParser.parse(script, { ...FUNCTION_BODY, onToken: tokens, onComment: comments });
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) {
      return [];
    }
    throw error;
  }
  const ranges = [
    ...tokens.map((token) => ({ kind: kindOf(token, script), start: token.start, end: token.end })),
    ...comments.map(({ start, end }) => ({ kind: 'comment' as const, start, end })),
  ];
  return ranges.filter(({ kind }) => kind !== 'plain').sort((one, other) => one.start - other.start);
}

/** A function instead of a constant, so the parser is loaded only when needed. */
const stringTypes = (): readonly unknown[] => [
  tokTypes.string,
  tokTypes.template,
  tokTypes.invalidTemplate,
  tokTypes.backQuote,
  tokTypes.regexp,
];

/** The parser treats these keywords as names. */
const KEYWORD_NAMES: ReadonlySet<string> = new Set(['async', 'await', 'let']);

function kindOf({ type, start, end }: Token, script: string): PartKind {
  if (stringTypes().includes(type)) {
    return 'string';
  }
  if (type === tokTypes.num) {
    return 'number';
  }
  const isKeyword =
    type.keyword !== undefined || (type === tokTypes.name && KEYWORD_NAMES.has(script.slice(start, end)));
  return isKeyword ? 'keyword' : 'plain';
}

const LINE_BREAK = /\r\n|[\n\r]/;

/** Splits multi-line parts, such as comments, into one part per line. */
function linesOf(parts: readonly CodePart[]): CodeLine[] {
  const lines: CodeLine[] = [[]];
  for (const { kind, text } of parts) {
    text.split(LINE_BREAK).forEach((piece, index) => {
      if (index > 0) {
        lines.push([]);
      }
      if (piece !== '') {
        lines[lines.length - 1].push({ kind, text: piece });
      }
    });
  }
  return lines;
}
