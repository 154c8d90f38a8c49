import { ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { ROOT } from './documents';

const RUNNER = resolve(__dirname, 'sql-runner.mjs');

/** ClickHouse is installed in a separate folder, because it takes up half a gigabyte. */
const CLICKHOUSE = createRequire(join(ROOT, 'test/clickhouse/package.json'));

/** Whether ClickHouse is installed as a library. In CI, throws an error if it is not. */
export function hasClickHouse(): boolean {
  try {
    return CLICKHOUSE.resolve('chdb') !== '';
  } catch (error) {
    if (process.env.CI) {
      throw error;
    }
    return false;
  }
}

interface Answer {
  rows?: string[];
  error?: string;
}

/** DuckDB or ClickHouse, as a library in a separate process. */
export class SqlEngine {
  private child: ChildProcess | null = null;

  constructor(readonly name: 'duckdb' | 'clickhouse') {}

  /** The SQL in docs/sql for this engine. @param file the name of the file without the engine, such as `cells` */
  sql(file: string): string {
    return readFileSync(join(ROOT, 'docs/sql', `${file}.${this.name}.sql`), 'utf8');
  }

  /** Runs statements in a folder, and then a query. @returns the rows of the query, with columns separated by spaces */
  async run(folder: string, statements: readonly string[], query: string): Promise<string[]> {
    if (this.child === null) {
      this.child = fork(RUNNER, [this.name], { execArgv: [] });
      await this.answer();
    }
    this.child.send({ folder, statements, query });
    return this.answer();
  }

  async stop(): Promise<void> {
    if (this.child !== null) {
      const ended = once(this.child, 'exit');
      this.child.kill();
      await ended;
    }
  }

  private async answer(): Promise<string[]> {
    const child = this.child as ChildProcess;
    const ended = new AbortController();
    const [{ rows, error }] = (await Promise.race([
      once(child, 'message', { signal: ended.signal }),
      once(child, 'exit', { signal: ended.signal }).then(() => {
        throw new Error(`The process of ${this.name} ended.`);
      }),
    ]).finally(() => ended.abort())) as [Answer];
    if (rows === undefined) {
      throw new Error(`${this.name}: ${error}`);
    }
    return rows;
  }
}
