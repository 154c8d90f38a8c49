import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { blocksOf, readDocument, ROOT } from '../support/documents';

/* The code in docs/identity.md comes from the examples, which other tests run. */

const EXAMPLES = join(ROOT, 'examples');
/** The lines without indentation. */
const linesOf = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.trim())
    .join('\n')
    .trim();

const examples = readdirSync(EXAMPLES, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map(({ parentPath, name }) => linesOf(readFileSync(join(parentPath, name), 'utf8')));
const blocks = blocksOf(readDocument('docs/identity.md')).filter(({ language }) => language === 'js');

describe('code in docs/identity.md', () => {
  it.each(blocks.map(({ text }) => [text.split('\n')[0], text]))('is part of an example: %s', (_, text) => {
    expect(examples.filter((example) => example.includes(linesOf(text)))).toHaveLength(1);
  });

  it('is found in the document', () => expect(blocks.length).toBeGreaterThan(4));
});
