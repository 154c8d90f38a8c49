import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { documentNames, proseOf, readDocument, ROOT } from '../support/documents';

/*
 * Long documents have a list of their sections before the first one. With GOSSET_WRITE_CONTENTS=1 this test writes the
 * lists.
 */

const LONG = 8;
const isWriting = process.env.GOSSET_WRITE_CONTENTS === '1';
const LIST = /^\*\*Contents:\*\* [^\n]*\n\n/m;

const anchorOf = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');

function listOf(document: string): string {
  const titles = [...proseOf(document).matchAll(/^## (.+)$/gm)].map(([, title = '']) => title);
  const links = titles.map((title) => `[${title}](#${anchorOf(title)})`);
  return links.length < LONG ? '' : `**Contents:** ${links.join(' · ')}\n\n`;
}

it.each(documentNames())('%s lists its sections if there are many', (name) => {
  const document = readDocument(name);
  const made = document.replace(LIST, '').replace(/^## /m, () => `${listOf(document)}## `);
  if (isWriting) {
    writeFileSync(join(ROOT, name), made);
  }
  expect(isWriting ? made : document).toBe(made);
});
