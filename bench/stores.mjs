import { createRequire } from 'node:module';
import mysql from 'mysql2/promise';

const require = createRequire(import.meta.url);
const { addExactFunctions, exactSum } = require('../dist/src/database/dialect.js');

/** SQL that sums a column of exact values in the same way as the server. */
export const exactSumOf = (databaseUrl, column) =>
  exactSum(databaseUrl.startsWith('sqlite:') ? 'sqlite' : 'mysql', column);

/** The SQLite driver that the server uses on this Node version. */
function sqliteDriver() {
  return require(
    Number(process.versions.node.split('.')[0]) >= 22 ? 'better-sqlite3-napi' : 'better-sqlite3',
  );
}

/** Opens SQLite with prepared statements, behind the same interface as `openMysql`. */
function openSqlite(file) {
  const db = new (sqliteDriver())(file, { timeout: 10_000 });
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = FULL');
  addExactFunctions(db);
  const statements = new Map();
  const prepare = (sql) => {
    const known = statements.get(sql) ?? db.prepare(sql);
    statements.set(sql, known);
    return known;
  };
  const connection = {
    rows: async (sql, values = []) => prepare(sql).all(...values),
    run: async (sql, values = []) => Number(prepare(sql).run(...values).lastInsertRowid),
  };
  return {
    ...connection,
    insertedIds: (last, count) => Array.from({ length: count }, (_, index) => last - count + 1 + index),
    transaction: async (work) => {
      db.exec('BEGIN IMMEDIATE');
      const result = await work(connection);
      db.exec('COMMIT');
      return result;
    },
    close: async () => db.close(),
  };
}

function openMysql(url) {
  const pool = mysql.createPool({ uri: url, connectionLimit: 32, charset: 'utf8mb4' });
  const over = (target) => ({
    rows: async (sql, values = []) => (await target.execute(sql, values))[0],
    run: async (sql, values = []) => (await target.execute(sql, values))[0].insertId,
  });
  return {
    ...over(pool),
    insertedIds: (first, count) => Array.from({ length: count }, (_, index) => first + index),
    transaction: async (work) => {
      const connection = await pool.getConnection();
      try {
        await connection.query('START TRANSACTION');
        const result = await work(over(connection));
        await connection.query('COMMIT');
        return result;
      } finally {
        connection.release();
      }
    },
    close: () => pool.end(),
  };
}

/** Opens the database of a `DATABASE_URL` for hand-written SQL. */
export function openStore(url) {
  return url.startsWith('sqlite:') ? openSqlite(url.slice('sqlite:'.length)) : openMysql(url);
}
