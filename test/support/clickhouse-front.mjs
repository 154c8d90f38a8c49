/*
 * A minimal ClickHouse server for tests. It runs the engine as a library (the package `chdb`) behind the HTTP interface
 * that the client uses. It is a separate process, because the engine blocks the event loop. `node clickhouse-front.mjs
 * FOLDER [PORT]` prints the port. `POST /faults` sets the faults that it simulates.
 */
import { Buffer } from 'node:buffer';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';

const { Session } = createRequire(new URL('../clickhouse/package.json', import.meta.url))('chdb');
const [folder, port = '0'] = process.argv.slice(2);
const session = new Session(folder);

const USER = 'gosset';
const PASSWORD = 'secret/1';
/** Query parameters of the HTTP interface that are not settings. */
const OTHER = new Set([
  'query',
  'query_id',
  'database',
  'session_id',
  'role',
  'default_format',
  'user',
  'password',
]);
/** Settings of the ClickHouse HTTP server that the library does not support. */
const OF_SERVER = /^(send_progress|http_|wait_end_of_query|enable_http|max_result_|result_overflow)/;

/**
 * The current faults. `delayMs` delays each statement. `inserts` is `full` or `readonly` to reject inserts, or
 * `unanswered` to run them and close the connection without a response. `deletions` is `refused` or `unanswered`.
 * `cells` is a way to end the results of queries for cells early. With `proxied`, all responses are an empty 200.
 */
let faults = {};
const REFUSED = {
  full: ['243', 'Cannot reserve 1.00 MiB, not enough space. (NOT_ENOUGH_SPACE)'],
  readonly: ['242', 'Table is in readonly mode. (TABLE_IS_READ_ONLY)'],
};

const EXCEPTION =
  'Code: 241. DB::Exception: Memory limit (total) exceeded. (MEMORY_LIMIT_EXCEEDED) (version 26.7.2.1)';
/** What ClickHouse sends if a query fails after the status and half of the rows have been sent. */
const ENDINGS = {
  /** With the setting `http_write_exception_in_output_format`. */
  document: (result) => {
    const data = result.data.slice(0, result.data.length / 2);
    return JSON.stringify({ ...result, data, rows: data.length, exception: EXCEPTION });
  },
  text: (result) => `${half(result)}${EXCEPTION}`,
  cut: (result) => half(result),
};
const half = (result) => {
  const text = JSON.stringify(result, null, '\t');
  return text.slice(0, text.lastIndexOf('\n', text.length / 2) + 1);
};

const bodyOf = async (request) => {
  const chunks = [];
  for await (const chunk of request) {
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
};

const settingText = (text) => (/^-?\d+$/.test(text) ? text : `'${text.replace(/[\\']/g, '\\$&')}'`);

/** Applies the settings and parameters of a request. @returns a function that runs the statement, and its kind */
function execute(search, body) {
  const parameters = [...search].filter(([name]) => name.startsWith('param_'));
  const settings = [...search].filter(
    ([name]) => !OTHER.has(name) && !name.startsWith('param_') && !OF_SERVER.test(name),
  );
  const database = search.get('database');
  if (database !== null) {
    session.query(`USE \`${database}\``);
  }
  const statement = [search.get('query'), body].filter(Boolean).join('\n');
  const given = settings.map(([name, value]) => `${name} = ${settingText(value)}`);
  const isInsert = /^\s*INSERT\b/i.test(statement);
  for (const [name, value] of parameters) {
    session.query(`SET ${name} = '${value.replace(/[\\']/g, '\\$&')}'`);
  }
  if (given.length > 0) {
    session.query(`SET ${given.join(', ')}`);
  }
  const isDeletion = /^\s*(ALTER TABLE \w+ DELETE|DELETE FROM)\b/i.test(statement);
  const end = statement.includes('value_by_conversions') ? ENDINGS[faults.cells] : undefined;
  const run = () => {
    const text = session.query(statement, 'JSONEachRow');
    return end === undefined ? text : end(JSON.parse(text));
  };
  return { isInsert, isDeletion, run };
}

const codeOf = (error) => String(error.clickhouseCode ?? 1002);

function refuse(response, status, code, text) {
  response.writeHead(status, { 'x-clickhouse-exception-code': code, 'content-type': 'text/plain' });
  response.end(`Code: ${code}. DB::Exception: ${text} (version 26.7.2.1)`);
}

function isKnown({ headers }) {
  const [, basic = ''] = /^Basic (.+)$/.exec(headers.authorization ?? '') ?? [];
  return Buffer.from(basic, 'base64').toString() === `${USER}:${PASSWORD}`;
}

async function answer(request, response) {
  const { pathname, searchParams } = new URL(request.url, 'http://clickhouse');
  const body = await bodyOf(request);
  if (pathname === '/faults') {
    faults = JSON.parse(body);
    response.end('{}');
    return;
  }
  if (pathname === '/ping') {
    response.end('Ok.\n');
    return;
  }
  if (!isKnown(request)) {
    refuse(response, 403, '516', 'Authentication failed: password is incorrect. (AUTHENTICATION_FAILED)');
    return;
  }
  if (faults.proxied) {
    response.end();
    return;
  }
  if (faults.delayMs) {
    await sleep(faults.delayMs);
  }
  try {
    const { isInsert, isDeletion, run } = execute(searchParams, body);
    if (isInsert && faults.inserts in REFUSED) {
      refuse(response, 500, ...REFUSED[faults.inserts]);
      return;
    }
    if (isDeletion && faults.deletions === 'refused') {
      refuse(response, 500, '236', 'Cancelled mutating parts. (ABORTED)');
      return;
    }
    const text = run();
    if ((isInsert ? faults.inserts : isDeletion && faults.deletions) === 'unanswered') {
      request.socket.destroy();
      return;
    }
    response.writeHead(200, { 'content-type': 'application/x-ndjson', 'x-clickhouse-summary': '{}' });
    response.end(text);
  } catch (error) {
    const message = String(error.message);
    const code = codeOf(error);
    refuse(response, 500, code, message.replace(/^[^]*?DB::Exception: /, '').trim());
  }
}

/** Statements run one at a time, because the engine has only one session, with one set of settings and parameters. */
let last = Promise.resolve();
const server = createServer((request, response) => {
  last = last.then(() => answer(request, response)).catch((error) => response.destroy(error));
});
// A query blocks this process. With an idle timeout, Node.js would close connections whose next request arrived
// during the query.
server.keepAliveTimeout = 0;
server.listen(Number(port), '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`));
