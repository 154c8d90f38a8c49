import type { FormFields } from '../../common/http/json-body';
import { labelOf } from '../../common/validation/fields';

const NUMBER = /^[-−+]?\d+(?:[.,]\d+)?$/;

/**
 * `10,000` means ten thousand or ten, depending on the user's locale. Decimal numbers with three places are also
 * ambiguous.
 */
const AMBIGUOUS = /^[-−+]?[1-9]\d{0,2}[.,]\d{3}$/;

/** The spaces between groups of three digits, as pages format numbers. */
const GROUPING = /(?<=\d)[ \u00a0\u202f](?=\d{3}(?!\d))/g;

/** The text; null for an empty field. */
export const textOrNull = (text = ''): string | null => (text.trim() === '' ? null : text);

/**
 * The number in a field; null for an empty field. Any other input, such as `10,000`, stays a string, which the API
 * rejects with a message.
 */
export function numberOrText(text = ''): number | string | null {
  const trimmed = text.trim().replaceAll(GROUPING, '');
  return NUMBER.test(trimmed) && !AMBIGUOUS.test(trimmed)
    ? Number(trimmed.replace('−', '-').replace(',', '.'))
    : textOrNull(trimmed);
}

/** The lines of a field, without empty lines. */
export const linesOf = (text = ''): string[] =>
  text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** Replaces CRLF and CR with LF. */
export const withPlainBreaks = (text: string): string => text.replaceAll(/\r\n?/g, '\n');

/** The value of a field. Requests can contain any field name, including `constructor`. */
export const valueIn = (fields: FormFields, name: string): string | undefined =>
  Object.hasOwn(fields, name) ? fields[name] : undefined;

/**
 * The fields of a submitted form. Browsers submit all line breaks as CRLF, so they are converted to LF. If a value
 * differs from the current one only in its line breaks, the current value is used.
 */
export const received = (submitted: FormFields, current: FormFields): FormFields =>
  Object.fromEntries(
    Object.entries(submitted).map(([name, text = '']) => {
      const [plain, stored] = [withPlainBreaks(text), valueIn(current, name)];
      return [name, stored !== undefined && withPlainBreaks(stored) === plain ? stored : plain];
    }),
  );

/** The form field name of one option in a field with several options. */
export const checkName = (field: string, option: string): string => `${field}.${option}`;

/** The form fields of the chosen options. */
export const checked = (field: string, options: readonly (string | number)[]): FormFields =>
  Object.fromEntries(options.map((option) => [checkName(field, String(option)), 'on']));

/** The chosen options of a field, in form order. */
export const chosenIn = (field: string, fields: FormFields): string[] =>
  Object.keys(fields)
    .filter((name) => name.startsWith(checkName(field, '')) && fields[name] === 'on')
    .map((name) => name.slice(checkName(field, '').length));

/** Maps API wording about null and requests to form wording about empty fields and input. */
const IN_FORMS = [
  ['field may not be null.', 'field is required.'],
  [': send null.', ': leave it empty.'],
  [': send ', ': enter '],
  [/, or null\b/, ', or leave it empty'],
] as const;

const PLACE_IN_LIST = /\.(\d+)(?:\..*)?$/;

/** Maximum number of characters that a message quotes from a line. */
const MAX_QUOTED = 40;

/** A path such as `.2.name` in `variations`, where the name is that of a variation, not of the record. */
const FIELD_IN_LIST = /\.\d+\./;

/** Whether the API path of a message refers to a field or to a part of it, such as `tags.0`. */
export const isAbout = (path: string, field: string): boolean =>
  path === field || path.startsWith(checkName(field, ''));

/** The line that a path such as `.0` points to, in a field with several lines. */
function lineAt(part: string, text: string): string | undefined {
  const lines = linesOf(text);
  const place = PLACE_IN_LIST.exec(part)?.[1];
  return place === undefined || lines.length < 2 ? undefined : lines[Number(place)];
}

const quoted = (line: string): string => {
  const characters = [...line];
  return characters.length > MAX_QUOTED ? `“${characters.slice(0, MAX_QUOTED).join('')}…”` : `“${line}”`;
};

/** The beginning of the API's messages about text where a number belongs. */
const NUMBER_WANTED = /^(?:field )?(?:must be a (?:whole )?number|is a percentage)/;

/** `“Rate” can mean 3125 or 3.125: enter 3125 or 3.1250.` */
function ambiguityWords(label: string, text: string): string {
  const [whole, decimal] = [text.replace(/[.,]/, ''), text.replace(',', '.')];
  return `“${label}” can mean ${whole} or ${decimal}: enter ${whole} or ${decimal}0.`;
}

interface LabelledField {
  name: string;
  label: string;
  /** The content of the field. */
  text?: string;
}

/**
 * The API's message about a field, with the label on the page instead of the field name: `The url must be ...` becomes
 * `“Address” must be ...`. A message about one of several lines quotes the line. A message about a part of the field
 * begins with the label. Other messages stay unchanged.
 */
export function messageInWords(message: string, path: string, field: LabelledField): string {
  const { name, label, text = '' } = field;
  const part = path.slice(name.length);
  const line = lineAt(part, text);
  if (line !== undefined || FIELD_IN_LIST.test(part)) {
    const place = line === undefined ? `“${label}”` : `${quoted(line)} in “${label}”`;
    return `${place}: ${message.replace(/^The /, 'the ')}`;
  }
  const names = [name, name.split('.').at(-1) ?? name, name.replace(/_id$/, '')].map(labelOf);
  const found = names.map((each) => `The ${each} `).find((beginning) => message.startsWith(beginning));
  if (found === undefined) {
    return message;
  }
  if (NUMBER_WANTED.test(message.slice(found.length)) && AMBIGUOUS.test(text.trim())) {
    return ambiguityWords(label, text.trim());
  }
  const rest = IN_FORMS.reduce(
    (words, [inApi, inForm]) => words.replace(inApi, inForm),
    message.slice(found.length),
  );
  return `“${label}” ${rest.replace(/^field (?=is|may)/, '')}`;
}
