/** How a language writes JSON values. */
export interface Notation {
  key: (name: string) => string;
  constants: Readonly<Record<'true' | 'false' | 'null', string>>;
  text: (value: string) => string;
  /** The spaces inside the braces of an object that is written on one line. */
  padding: '' | ' ';
  /** The text after the last entry if the value is written on several lines. */
  lastComma: '' | ',';
  /** The indentation of an entry. */
  step: string;
}

const jsonText = (value: string): string => JSON.stringify(value);

export const JSON_NOTATION: Notation = {
  key: jsonText,
  text: jsonText,
  constants: { true: 'true', false: 'false', null: 'null' },
  padding: '',
  lastComma: '',
  step: '  ',
};

export const PYTHON_NOTATION: Notation = {
  ...JSON_NOTATION,
  constants: { true: 'True', false: 'False', null: 'None' },
  lastComma: ',',
  step: '    ',
};

/** The text in single quotes, unless it contains quotes itself. */
function singleQuoted(value: string): string {
  return /['"]/.test(value) ? jsonText(value) : `'${jsonText(value).slice(1, -1)}'`;
}

export const TYPESCRIPT_NOTATION: Notation = {
  ...JSON_NOTATION,
  key: (name) => (/^[A-Za-z_]\w*$/.test(name) ? name : singleQuoted(name)),
  text: singleQuoted,
  padding: ' ',
  lastComma: ',',
};

const MAX_WIDTH = 72;

/** Writes a JSON value as a literal: on one line if it is short, otherwise with each entry on its own line. */
export function literal(value: unknown, notation: Notation, indent = ''): string {
  if (typeof value !== 'object' || value === null) {
    return scalar(value, notation);
  }
  const inner = indent + notation.step;
  const isList = Array.isArray(value);
  const [open, close] = isList ? '[]' : '{}';
  const entriesAt = (at: string): string[] =>
    isList
      ? value.map((entry) => literal(entry, notation, at))
      : Object.entries(value).map(
          ([name, entry]) => `${notation.key(name)}: ${literal(entry, notation, at)}`,
        );
  const entries = entriesAt(inner);
  const padding = isList || entries.length === 0 ? '' : notation.padding;
  const short = `${open}${padding}${entries.join(', ')}${padding}${close}`;
  return short.includes('\n') || indent.length + short.length > MAX_WIDTH
    ? `${open}\n${inner}${entries.join(`,\n${inner}`)}${notation.lastComma}\n${indent}${close}`
    : short;
}

function scalar(value: unknown, { constants, text: quoted }: Notation): string {
  if (typeof value === 'string') {
    return quoted(value);
  }
  const text = JSON.stringify(value ?? null);
  return Object.hasOwn(constants, text) ? constants[text as keyof typeof constants] : text;
}
