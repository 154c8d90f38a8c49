/* A separate process that runs SQL with the DuckDB or ClickHouse library: `sql-runner.mjs duckdb|clickhouse`. */

import { createRequire } from 'node:module';

const [engine] = process.argv.slice(2);
const require = createRequire(new URL('../clickhouse/package.json', import.meta.url));

const text = (rows) => rows.map((row) => row.map(String).join(' '));

async function duckdb() {
  const { DuckDBInstance } = require('@duckdb/node-api');
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  return async (statements, query) => {
    for (const statement of statements) {
      await connection.run(statement);
    }
    return text((await connection.runAndReadAll(query)).getRowsJson());
  };
}

async function clickhouse() {
  const { Session } = require('chdb');
  const session = new Session();
  process.on('exit', () => session.cleanup());
  return (statements, query) => {
    // The engine accepts one statement at a time.
    for (const statement of statements
      .flatMap((each) => each.split(/;\s*$/m))
      .filter((each) => each.trim())) {
      session.query(statement);
    }
    const rows = session.query(query, 'TabSeparated').split('\n').slice(0, -1);
    return text(rows.map((row) => row.split('\t')));
  };
}

const run = await { duckdb, clickhouse }[engine]();

process.on('message', async ({ folder, statements, query }) => {
  try {
    process.chdir(folder);
    process.send({ rows: await run(statements, query) });
  } catch (error) {
    process.send({ error: String(error) });
  }
});
process.on('disconnect', () => process.exit());
process.send({ rows: [] });
