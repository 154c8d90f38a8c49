import { statementText } from './request-spans';

it.each([
  ['SELECT id FROM goals WHERE project_id = ?', 'SELECT goals'],
  ['SELECT g.id FROM `goals` g JOIN "pages" p ON p.id = g.id', 'SELECT goals pages'],
  ['INSERT INTO events (a, b) VALUES (?, ?)', 'INSERT events'],
  ['INSERT IGNORE INTO events (a) SELECT a FROM links', 'INSERT events SELECT links'],
  ['INSERT INTO marks (a) VALUES (?) ON DUPLICATE KEY UPDATE a = ?', 'INSERT marks'],
  ['INSERT INTO marks (a) VALUES (?) ON CONFLICT (a) DO UPDATE SET a = ?', 'INSERT marks'],
  ['SELECT id FROM goals FOR UPDATE SKIP LOCKED', 'SELECT goals'],
  ['update goals SET name = ?', 'UPDATE goals'],
  ['DELETE FROM goals', 'DELETE goals'],
  ['REPLACE INTO goals (a) VALUES (?)', 'REPLACE goals'],
  ['BEGIN TRANSACTION', 'BEGIN'],
  ['COMMIT', 'COMMIT'],
  ['', ''],
])('summarises %s', (sql, summary) => {
  expect(statementText(sql, 'mariadb').summary).toBe(sql.includes('"pages"') ? 'SELECT goals' : summary);
  expect(statementText(sql, 'sqlite').summary).toBe(summary);
});

it.each([
  [
    "SELECT * FROM t1 WHERE a = 'it''s secret' AND b = -12.5e3 LIMIT 10",
    'SELECT * FROM t1 WHERE a = ? AND b = -? LIMIT ?',
  ],
  ["SELECT 'a\\'b', 'c' FROM t", 'SELECT ? FROM t'],
  ["SELECT x'6162', 0xFF", 'SELECT x?'],
  ["SELECT 'cut off", 'SELECT ?'],
  ['SELECT a FROM t WHERE a IN (?, ?, ?)', 'SELECT a FROM t WHERE a IN (?)'],
  ['INSERT INTO t (a, b) VALUES (?, ?), (?, ?),\n (?, ?)', 'INSERT INTO t (a, b) VALUES (?)'],
])('leaves no value in %s', (sql, text) => {
  expect(statementText(sql, 'mysql').text).toBe(text);
});

it('treats double quotes as identifiers on SQLite only', () => {
  const sql = 'SELECT "goals"."id" FROM "goals" WHERE name = "secret"';
  expect(statementText(sql, 'sqlite').text).toBe(sql);
  expect(statementText(sql, 'mysql').text).not.toContain('secret');
});

it('truncates long statements, and omits the value at the cut', () => {
  const sql = `INSERT INTO events (id, name) VALUES ${"(?, 'secret'), ".repeat(20_000)}(?, ?)`;
  const { summary, text } = statementText(sql, 'mysql');
  expect(summary).toBe('INSERT events');
  expect(text).toMatch(/^INSERT INTO events \(id, name\) VALUES \(\?\)/);
  expect(text).toMatch(/\.\.\.$/);
  expect(text.length).toBeLessThan(4_100);
  expect(text).not.toContain('secret');
});

it('keeps the summary within the length that the semantic conventions allow', () => {
  const tables = Array.from({ length: 100 }, (_, index) => `table_of_things_${index}`);
  const { summary } = statementText(`SELECT * FROM ${tables.join(' JOIN ')}`, 'sqlite');
  expect(summary).toMatch(/^SELECT table_of_things_0 table_of_things_1 /);
  expect(summary.length).toBeLessThanOrEqual(255);
});
