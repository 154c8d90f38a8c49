import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import type { Setting } from './setting';
import { SETTINGS } from './settings';

/*
 * `.env.example` and the table in docs/production.md match the settings. With GOSSET_WRITE_SETTINGS=1 this test writes
 * them (and `npm run format` aligns the table).
 */

const ROOT = join(__dirname, '../..');
const EXAMPLE = join(ROOT, '.env.example');
const PRODUCTION = join(ROOT, 'docs/production.md');
const WIDTH = 120;

const isWriting = process.env.GOSSET_WRITE_SETTINGS === '1';
const settings = Object.entries<Setting>(SETTINGS);
const defaultOf = (setting: Setting): string => setting['x-default'] ?? `\`${setting.default}\``;

/** Without Markdown syntax. */
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

function exampleOf([name, setting]: [string, Setting]): string {
  const byDefault = setting['x-default'] === undefined ? '' : ` Default: ${setting['x-default']}.`;
  const value = setting.default ?? setting.examples?.[0] ?? '';
  return `${commented(plain(setting.description + byDefault))}\n#${name}=${value}\n`;
}

describe('the documentation of settings', () => {
  it('.env.example has each setting with its default', () => {
    const text = readFileSync(EXAMPLE, 'utf8');
    const [head = '', ...parts] = text.split(/(?=^# Address the server|^# --- )/m);
    const others = parts.filter((part) => part.startsWith('# --- '));
    const made = [head, `${settings.map(exampleOf).join('\n')}\n`, ...others].join('');
    if (isWriting) {
      writeFileSync(EXAMPLE, made);
    }
    expect(isWriting ? made : text).toBe(made);
  });

  it('docs/production.md has a table row for each setting', () => {
    const text = readFileSync(PRODUCTION, 'utf8');
    const rows = settings.map(([name, each]) => `| \`${name}\` | ${defaultOf(each)} | ${each.description} |`);
    const shown = text
      .split('\n')
      .filter((line) => settings.some(([name]) => line.startsWith(`| \`${name}\``)));
    if (isWriting) {
      const [first = ''] = shown;
      const others = text.split('\n').filter((line) => line === first || !shown.includes(line));
      writeFileSync(
        PRODUCTION,
        others.join('\n').replace(first, () => rows.join('\n')),
      );
    } else {
      expect(shown.map((line) => line.replace(/\s+/g, ' '))).toEqual(rows);
    }
  });
});

it('each setting is a valid JSON Schema, which loading the configuration takes for granted', () => {
  const ajv = new Ajv();
  const errors = settings.filter(([, setting]) => ajv.validateSchema(setting) !== true).map(([name]) => name);
  expect(errors).toEqual([]);
});
