import { LRUCache } from 'lru-cache';
import type { StatementSource } from '../../../database/statement-observer';

/** A statement as shown in traces, without values. */
export interface StatementText {
  /** Operations and tables, such as `INSERT events`. There are few distinct summaries. */
  summary: string;
  /** The statement with `?` instead of every literal. */
  text: string;
}

type System = StatementSource['system'];

/**
 * Maximum number of characters of a statement. Bulk inserts repeat their placeholders, so the beginning is sufficient.
 */
const MAX_TEXT = 4_000;
/** Maximum number of characters of a summary, from the semantic conventions. */
const MAX_SUMMARY = 255;
const CACHED = 1_000;

const STRINGS = /'(?:[^'\\]|''|\\.)*(?:'|$)/gs;
/** Text in double quotes, which is an identifier on SQLite. */
const QUOTED = /"(?:[^"\\]|""|\\.)*(?:"|$)/gs;
const NUMBERS = /\b(?:0x[0-9a-f]+|\d+(?:\.\d+)?(?:e[+-]?\d+)?)\b/gi;
const PLACEHOLDERS = /\?(?:\s*,\s*\?)+/g;
const GROUPS = /\(\?\)(?:\s*,\s*\(\?\))+/g;
/**
 * Operations, and the tables that follow them. `FOR UPDATE` and `ON DUPLICATE KEY UPDATE` are parts of other
 * operations.
 */
const PARTS =
  /(?<!\b(?:FOR|KEY|DO)\s)\b(?:(SELECT|INSERT|REPLACE(?=\s+INTO)|DELETE)\b|(UPDATE)\s+[`"]?(\w+)|(?:FROM|INTO|JOIN)\s+[`"]?(\w+))/gi;

const cache = new LRUCache<string, StatementText>({ max: CACHED });

/** Describes a statement for traces. */
export function statementText(sql: string, system: System): StatementText {
  // A statement this long is a bulk statement. The next one will differ, so caching it is useless.
  if (sql.length > MAX_TEXT) {
    const { summary, text } = read(sql.slice(0, MAX_TEXT), system);
    return { summary, text: `${text}...` };
  }
  const key = `${system} ${sql}`;
  const known = cache.get(key);
  if (known !== undefined) {
    return known;
  }
  const text = read(sql, system);
  cache.set(key, text);
  return text;
}

function read(sql: string, system: System): StatementText {
  const strings = sql.replace(STRINGS, '?');
  const literals = (system === 'sqlite' ? strings : strings.replace(QUOTED, '?')).replace(NUMBERS, '?');
  const text = literals.replace(PLACEHOLDERS, '?').replace(GROUPS, '(?)').replace(/\s+/g, ' ').trim();
  return { summary: summaryOf(text), text };
}

function summaryOf(text: string): string {
  const words: string[] = [];
  for (const [, operation, update, updated, table] of text.matchAll(PARTS)) {
    words.push(
      ...[(operation ?? update)?.toUpperCase(), updated ?? table].filter((word) => word !== undefined),
    );
  }
  const [first = ''] = text.split(/\W/, 1);
  let summary = words.shift() ?? first.toUpperCase();
  for (const word of words) {
    if (summary.length + word.length + 1 <= MAX_SUMMARY) {
      summary += ` ${word}`;
    }
  }
  return summary;
}
