import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Setting } from '../../src/config/setting';
import { SETTINGS } from '../../src/config/settings';
import { proseOf, ROOT } from './documents';
import { hasTools, RESOURCES } from './resources';

/* Generates parts of files. Each function takes the text of a file and returns it with the updated part. */

const WIDTH = 120;
const LONG = 8;
const LIST_OF_SECTIONS = /^\*\*Contents:\*\* [^\n]*\n\n/m;

const settings = Object.entries<Setting>(SETTINGS);

/** A table row: `| a | b |`. */
const tableRow = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

const code = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ');

/** Replaces the rows of a table that `isOld` matches. The new rows follow the row that starts with `first`. */
function withRows(text: string, first: string, isOld: (line: string) => boolean, rows: string[]): string {
  const kept = text.split('\n').filter((line) => !isOld(line));
  const at = kept.findIndex((line) => line.startsWith(first));
  if (at === -1) {
    throw new Error(`There is no row that begins with ${first}`);
  }
  return kept.toSpliced(at + 1, 0, ...rows).join('\n');
}

/** Removes Markdown syntax. */
const plain = (text: string): string => text.replace(/\[([^\]]+)\]\([^)]+\)/g, '$1').replaceAll('`', '');

function commented(text: string): string {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const longer = `${lines.at(-1) ?? '#'} ${word}`;
    if (lines.length === 0 || longer.length > WIDTH) {
      lines.push(`# ${word}`);
    } else {
      lines[lines.length - 1] = longer;
    }
  }
  return lines.join('\n');
}

const number = (value: number): string => value.toLocaleString('en');

/** The description of a setting, with its range if it is a number. */
const explained = (setting: Setting): string =>
  setting.type === 'integer'
    ? `${setting.description} From ${number(setting.minimum)} to ${number(setting.maximum)}.`
    : setting.description;

function exampleOf([name, setting]: [string, Setting]): string {
  const byDefault = setting['x-default'] === undefined ? '' : ` Default: ${setting['x-default']}.`;
  const value = setting.default ?? setting.examples?.[0] ?? '';
  return `${commented(plain(explained(setting) + byDefault))}\n#${name}=${value}\n`;
}

/** Updates `.env.example`: each setting with its default. */
export function withSettings(text: string): string {
  const [head = '', ...parts] = text.split(/(?=^# Address the server|^# --- )/m);
  const others = parts.filter((part) => part.startsWith('# --- '));
  return [head, `${settings.map(exampleOf).join('\n')}\n`, ...others].join('');
}

/** Updates the table of settings. */
export function withTableOfSettings(text: string): string {
  const rows = settings.map(([name, setting]) =>
    tableRow([`\`${name}\``, setting['x-default'] ?? `\`${setting.default}\``, explained(setting)]),
  );
  const isSetting = (line: string): boolean => settings.some(([name]) => line.startsWith(`| \`${name}\``));
  const lines = text.split('\n');
  const before = lines[lines.findIndex(isSetting) - 1] ?? '';
  return withRows(text, before, isSetting, rows);
}

const anchorOf = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');

function listOfSections(document: string): string {
  const titles = [...proseOf(document).matchAll(/^## (.+)$/gm)].map(([, title = '']) => title);
  const links = titles.map((title) => `[${title}](#${anchorOf(title)})`);
  return links.length < LONG ? '' : `**Contents:** ${links.join(' · ')}\n\n`;
}

/** Inserts a list of sections into long documents, before the first section. */
export const withContents = (document: string): string =>
  document.replace(LIST_OF_SECTIONS, '').replace(/^## /m, () => `${listOfSections(document)}## `);

/** Updates the table rows for the tools of standard resources. */
export function withResourceTools(text: string): string {
  const withTools = RESOURCES.filter(hasTools);
  const reads = withTools.map(({ type, collection, plural }) =>
    tableRow([
      code([`list_${collection}`, `get_${type}`]),
      `list the ${plural} of a project, or return one`,
      'Read only',
      'viewer',
    ]),
  );
  const writes = withTools
    .filter(({ writes: isWritable }) => isWritable !== undefined)
    .map(({ type, plural }) =>
      tableRow([
        code([`create_${type}`, `update_${type}`]),
        `create and change ${plural}`,
        'Read & write',
        'editor',
      ]),
    );
  const readTool = /^\| `list_\w+`, `get_\w+` /;
  const writeTool = /^\| `create_\w+`, `update_\w+` /;
  const withReads = withRows(text, '| `get_experiment`', (line) => readTool.test(line), reads);
  return withRows(withReads, '| `list_changes`', (line) => writeTool.test(line), writes);
}

/** Updates the list of all migrations from their file names. In class names, the words precede the number. */
export function withMigrations(text: string): string {
  const folder = join(ROOT, 'src/database/migrations');
  const files = readdirSync(folder)
    .filter((file) => /^\d+-[a-z0-9-]+\.ts$/.test(file))
    .map((file) => file.replace(/\.ts$/, ''))
    .sort();
  const classOf = (file: string): string => {
    const [time = '', ...words] = file.split('-');
    return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('') + time;
  };
  const imports = files.map((file) => `import { ${classOf(file)} } from './${file}';`);
  const list = files.map((file) => `  ${classOf(file)},`);
  return text
    .replace(/^(import [^\n]*\n)+/, () => `${imports.join('\n')}\n`)
    .replace(
      /^(export const migrations = \[\n)[^\]]*/m,
      (_, start: string) => `${start}${list.join('\n')}\n`,
    );
}
