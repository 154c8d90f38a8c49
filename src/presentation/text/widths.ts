/* An upper bound for the text width in unknown fonts, because images use the reader's fonts. */

export interface Font {
  size: number;
  isBold?: boolean;
}

/** Widths relative to the font size, based on a wide font. The first matching pattern applies. */
const WIDTHS: readonly (readonly [RegExp, number])[] = [
  [/[\p{M}\p{Cf}]/u, 0],
  [/[ .,:;'|!()[\]ijlI]/, 0.4],
  [/[WMwm@%…—]/, 1],
  [/(?=\p{Script=Latin})\p{Lu}/u, 0.85],
  [/[\p{Script=Latin}\p{ASCII}–]/u, 0.65],
  [/\p{Extended_Pictographic}/u, 1.3],
];
/** Characters in other scripts can be as wide as they are high. */
const WIDEST = 1;
const BOLD = 1.12;

const widthOf = (character: string): number =>
  WIDTHS.find(([pattern]) => pattern.test(character))?.[1] ?? WIDEST;

/** An estimate of the width of a string, more often too wide than too narrow. */
export function textWidth(text: string, { size, isBold = false }: Font): number {
  const heights = [...text].reduce((sum, character) => sum + widthOf(character), 0);
  return heights * size * (isBold ? BOLD : 1);
}

/** The text, truncated to fit a width. */
export function fitted(text: string, width: number, font: Font): string {
  if (textWidth(text, font) <= width) {
    return text;
  }
  let room = width - textWidth('…', font);
  let cut = '';
  for (const character of text) {
    room -= textWidth(character, font);
    if (room < 0) {
      break;
    }
    cut += character;
  }
  return `${cut.trimEnd()}…`;
}

/** The text, wrapped to lines of at most this width. A word that is longer than a line gets its own line. */
export function wrapped(text: string, width: number, font: Font): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const line = lines.at(-1);
    if (line !== undefined && textWidth(`${line} ${word}`, font) <= width) {
      lines[lines.length - 1] = `${line} ${word}`;
    } else {
      lines.push(word);
    }
  }
  return lines;
}
