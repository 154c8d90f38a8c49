import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import * as ts from 'typescript';

/* SQL is allowed only in `*.store.ts` files and in `database`, which knows the engines but not the other modules. */

/** Recognises SQL, both whole statements and parts. */
const SQL =
  /\b(SELECT|INSERT|UPDATE|DELETE FROM|JOIN|WHERE|ORDER BY|VALUES)\b|\bIS (NOT )?NULL\b|[=<>] \?|\bIN \(/;

/** Files with parts of statements that callers pass to a store by name. */
const NO_STATEMENTS = ['common/lists/list-query.ts'];

const ROOT = __dirname;

/** The source files with their paths below `src/`, without tests. */
function sources(): string[] {
  return readdirSync(ROOT, { recursive: true, encoding: 'utf8' })
    .map((path) => relative(ROOT, join(ROOT, path)).replaceAll('\\', '/'))
    .filter((path) => /\.tsx?$/.test(path) && !/\.spec\.tsx?$/.test(path));
}

const mayHaveSql = (path: string): boolean =>
  path.startsWith('database/') || path.endsWith('.store.ts') || NO_STATEMENTS.includes(path);

/** The SQL strings in a source file, with their lines. */
function sqlIn(name: string, text: string): string[] {
  const file = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const isText = ts.isStringLiteralLike(node) || ts.isTemplateLiteralToken(node);
    if (isText && SQL.test(node.text)) {
      found.push(`${file.getLineAndCharacterOfPosition(node.getStart()).line + 1}: ${node.text}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

describe('SQL', () => {
  it('is found only in stores', () => {
    const outside = sources()
      .filter((path) => !mayHaveSql(path))
      .filter((path) => sqlIn(path, readFileSync(join(ROOT, path), 'utf8')).length > 0);
    expect(outside).toEqual([]);
  });

  it.each([
    ["find('id = ? AND deleted_at IS NULL')", 1],
    ['`SELECT ${columns} FROM goals`', 1],
    ["'UPDATE goals SET name = ?'", 1],
    ["// SELECT id FROM goals\ncall('Select a goal')", 0],
  ])('is recognised: %s', (text, count) => {
    expect(sqlIn('example.ts', text)).toHaveLength(count);
  });
});
