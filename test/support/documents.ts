import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/*
 * Reads the documents, and compares output shown in them with real output. In a document, `...` matches anything, a
 * time matches any time, and a decimal number matches all numbers that round to it.
 */

export const ROOT = resolve(__dirname, '../..');

/** A fenced block in a document. */
export interface Block {
  language: string;
  text: string;
  /** The engine that the block is for, given in a preceding comment `<!-- only: ... -->`; null for both. */
  only: string | null;
  /** Whether only blank lines separate this block from the previous one. */
  followsBlock: boolean;
}

/** Commands with their output as the document shows it. */
export interface Step {
  commands: Block;
  printed: Block | null;
}

const BLOCK = /(?:<!-- only: (\w+) -->\s+)?^```(\w*)[^\n]*\n([\s\S]*?)^```$/gm;

/** The names of README.md, all documents in docs/, and the client READMEs. */
export function documentNames(): string[] {
  const clients = join(ROOT, 'clients');
  const ofClients = existsSync(clients)
    ? readdirSync(clients).map((name) => `clients/${name}/README.md`)
    : [];
  const inDocs = readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md'));
  const names = ['README.md', ...inDocs.map((name) => `docs/${name}`), ...ofClients];
  return names.filter((name) => existsSync(join(ROOT, name)));
}

export const readDocument = (name: string): string => readFileSync(join(ROOT, name), 'utf8');

export function blocksOf(document: string): Block[] {
  let end = -1;
  return [...document.matchAll(BLOCK)].map((match) => {
    const [whole, only = null, language = '', text = ''] = match;
    const followsBlock = end >= 0 && document.slice(end, match.index).trim() === '';
    end = match.index + whole.length;
    return { language, text, only, followsBlock };
  });
}

/** The document without its blocks. */
export const proseOf = (document: string): string => document.replace(BLOCK, '');

/** The commands in a document, in order. A text or JSON block immediately after commands is their output. */
export function stepsOf(blocks: readonly Block[], languages: readonly string[] = ['sh']): Step[] {
  return blocks.flatMap((commands, index) => {
    const next = blocks[index + 1];
    const isPrinted = next?.followsBlock && ['text', 'json'].includes(next.language);
    return languages.includes(commands.language) ? [{ commands, printed: isPrinted ? next : null }] : [];
  });
}

const ANYTHING = '...';
const MOMENT = '\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{6}Z';
const PARTS = new RegExp(`(\\.\\.\\.|${MOMENT})`);

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

function partPattern(part: string, index: number): string {
  const isText = index % 2 === 0;
  const wildcard = part === ANYTHING ? '.+?' : MOMENT;
  return isText ? escaped(part) : wildcard;
}

/** A line `...` matches any number of lines. */
function linePattern(line: string): string {
  return line === ANYTHING ? '(?:.*\\n)*(?:.+$)?' : `${line.split(PARTS).map(partPattern).join('')}(?:\\n|$)`;
}

const patternOf = (shown: string): RegExp => new RegExp(`^${shown.split('\n').map(linePattern).join('')}$`);

/** The output, or the shown text if the output matches it. */
export const maskText = (shown: string, printed: string): string =>
  patternOf(shown).test(printed) ? shown : printed;

/**
 * Like `maskText`, for JSON values. A key `...` matches additional keys, and `...` as the last entry matches additional
 * entries.
 */
export function maskJson(shown: unknown, printed: unknown): unknown {
  if (shown === ANYTHING && printed !== undefined) {
    return shown;
  }
  if (typeof shown === 'string' && typeof printed === 'string') {
    return maskText(shown, printed);
  }
  if (typeof shown === 'number' && typeof printed === 'number') {
    return Number.isInteger(shown) || !isRoundedTo(shown, printed) ? printed : shown;
  }
  if (Array.isArray(shown) && Array.isArray(printed)) {
    return maskEntries(shown, printed);
  }
  return isObject(shown) && isObject(printed) ? maskKeys(shown, printed) : printed;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function isRoundedTo(shown: number, printed: number): boolean {
  const [, decimals = ''] = /^-?\d+\.(\d+)$/.exec(String(shown)) ?? [];
  return decimals !== '' && Math.abs(shown - printed) <= 0.5000001 * 10 ** -decimals.length;
}

function maskEntries(shown: readonly unknown[], printed: readonly unknown[]): unknown[] {
  const isOpen = shown.at(-1) === ANYTHING && printed.length >= shown.length;
  const compared = isOpen ? printed.slice(0, shown.length - 1) : printed;
  return [...compared.map((entry, index) => maskJson(shown[index], entry)), ...(isOpen ? [ANYTHING] : [])];
}

function maskKeys(shown: Record<string, unknown>, printed: Record<string, unknown>): object {
  const isOpen = ANYTHING in shown && Object.keys(printed).some((key) => !(key in shown));
  const masked = Object.entries(printed).flatMap(([key, value]) => {
    if (key in shown) {
      return [[key, maskJson(shown[key], value)]];
    }
    return isOpen ? [] : [[key, value]];
  });
  return Object.fromEntries([...masked, ...(isOpen ? [[ANYTHING, ANYTHING]] : [])]) as object;
}
