import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { AdminCommand, adminInShell, DATABASE_LINE } from './admin';
import { SECRET } from './api';
import { Block, blocksOf, maskJson, maskText, readDocument, ROOT, Step, stepsOf } from './documents';
import { createTestDatabase, engine, TestDatabase } from './engine';
import { ServerProcess } from './server-process';
import { contentsOf, createMigratedDatabase } from './template';

/* Runs the blocks in a document against a server with the demo, in a folder like the project folder. */

/** A block of commands that no test runs. */
export interface LeftOut {
  /** The first characters of the block. */
  begins: string;
  reason: string;
}

const LINKED = ['dist', 'examples', 'node_modules', 'package.json', '.env.example'];
const OPTIONAL_PROGRAMS = ['sqlite3', 'mysqldump', 'mysql'];
const END = 'end of a block';

function adminScript(): string {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  return scripts.admin ?? '';
}
const DEADLINE_MS = 240_000;

/** Whether a program that tests can do without is installed. */
export const isInstalled = (program: string): boolean =>
  spawnSync(program, ['--version']).error === undefined;

/** Whether these commands can run: they are for this engine, and the programs they need are installed. */
function isRunnable({ text, only }: Block): boolean {
  const missing = OPTIONAL_PROGRAMS.filter((program) => new RegExp(`^${program} `, 'm').test(text));
  return (only === null || only === engine) && missing.every(isInstalled);
}

interface Shop {
  client_key: string;
}

interface Place {
  store: TestDatabase;
  folder: string;
  server: ServerProcess;
  admin: AdminCommand;
  /** The socket for admin commands from a shell. */
  adminSocket: string;
  token: string;
  /** The client key of the demo project; empty if no command needs it. */
  clientKey: string;
}

/** Creates a database with these contents. A SQLite file is in the subfolder `data`, as it is by default. */
function databaseIn(folder: string, contents: Buffer | string): Promise<TestDatabase> | TestDatabase {
  if (engine === 'mysql') {
    return createTestDatabase(contents);
  }
  const file = join(folder, 'data', 'gosset.sqlite');
  mkdirSync(dirname(file));
  writeFileSync(file, contents);
  return { url: `sqlite:${file}`, remove: () => Promise.resolve() };
}

const SECRETS = { SESSION_SECRET: engine === 'mysql' ? SECRET : '' };

const CLIENT_KEY = 'pk_...';

/** The contents of a database with the demo, as in the quick start. */
interface Demo {
  contents: Buffer | string;
  token: string;
}

const DEMO: unique symbol = Symbol.for('gosset.document-demo');
/**
 * The demo is created once per worker and copied for each document, because creating its thousands of events is slow.
 */
const worker = globalThis as { [DEMO]?: Promise<Demo> };

async function makeDemo(): Promise<Demo> {
  const store = await createMigratedDatabase();
  const admin = new AdminCommand(store.url, { SESSION_SECRET: SECRET });
  try {
    const { token } = (await admin.json(['db:seed-demo', '--quickstart'])) as { token: string };
    return { contents: await contentsOf(store.url), token };
  } finally {
    admin.remove();
    await store.remove();
  }
}

async function prepare(needsClientKey: boolean): Promise<Place> {
  const folder = mkdtempSync(join(tmpdir(), 'gosset-document-'));
  LINKED.forEach((name) => symlinkSync(join(ROOT, name), join(folder, name)));
  worker[DEMO] ??= makeDemo().catch((error: unknown) => {
    // The next document tries to create the demo again.
    worker[DEMO] = undefined;
    throw error;
  });
  const { contents, token } = await worker[DEMO];
  const store = await databaseIn(folder, contents);
  const admin = new AdminCommand(store.url, SECRETS);
  const adminSocket = await admin.socket();
  const environment = { DATABASE_URL: store.url, LOG_LEVEL: 'warn', ...SECRETS };
  const server = await (await ServerProcess.spawn(environment)).ready();
  // The client key is read only if needed, because the server caches the user's rate limit for several seconds.
  const clientKey = needsClientKey ? await clientKeyFrom(server, token) : '';
  return { store, folder, server, admin, adminSocket, token, clientKey };
}

async function clientKeyFrom({ address }: ServerProcess, token: string): Promise<string> {
  const headers = { authorization: `Bearer ${token}` };
  const shop = (await (await fetch(`${address}/api/projects/1`, { headers })).json()) as Shop;
  return shop.client_key;
}

async function clear({ store, folder, server, admin }: Place): Promise<void> {
  admin.remove();
  server.kill('SIGTERM');
  await server.exit;
  await store.remove();
  rmSync(folder, { recursive: true, force: true });
}

/** Strings in documents, with their replacements in this environment. */
function realNames({ store, server, token, clientKey }: Place): [shown: string, real: string][] {
  const database = new URL(engine === 'mysql' ? store.url : 'mysql://unused');
  const port = new URL(server.address).port;
  const onMysql: [string, string][] = [
    ['host=db.example.com', `host=${database.hostname}\nport=${database.port || '3306'}`],
    ['user=gosset', `user=${database.username}`],
    ['password=password', `password=${database.password}`],
    ['DATABASE=gosset', `DATABASE=${database.pathname.slice(1)}`],
  ];
  return [
    ['mysql://gosset:password@db.example.com:3306/gosset', store.url],
    ['sqlite:data/demo/gosset.sqlite', store.url],
    ...(engine === 'mysql' ? onMysql : []),
    ['localhost:3000', `localhost:${port}`],
    ['gos_...', token],
    [CLIENT_KEY, clientKey],
  ];
}

function replaced(text: string, pairs: readonly (readonly [from: string, to: string])[]): string {
  return pairs.reduce((result, [from, to]) => result.replaceAll(from, to), text);
}

/** How to run the blocks of a language, one after another in one process. */
export interface Runner {
  language: string;
  /** A statement that prints a string on a separate line. */
  print: (text: string) => string;
  /** The program that runs a script, with its arguments. */
  command: (script: string, place: { adminSocket: string }) => Promise<string[]> | string[];
}

const SHELL: Runner = {
  language: 'sh',
  print: (text) => `echo; echo "${text}"`,
  command: (script, { adminSocket }) => {
    const begin = adminInShell(adminSocket, adminScript());
    return ['bash', '--norc', '-euo', 'pipefail', '-c', begin + script];
  },
};

/** Runs blocks. @returns the output of each block that was reached */
async function run(place: Place, steps: readonly Step[], runner: Runner): Promise<string[]> {
  const names = realNames(place);
  const script = steps
    .map(({ commands }) => `${replaced(commands.text, names)}\n${runner.print(END)}\n`)
    .join('');
  const { PATH = '' } = process.env;
  const [program = '', ...args] = await runner.command(script, place);
  const child = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd: place.folder,
    env: {
      // Shell blocks set these variables themselves.
      ...(runner !== SHELL && {
        GOSSET_URL: place.server.address.replace('127.0.0.1', 'localhost'),
        GOSSET_TOKEN: place.token,
      }),
      PATH,
      HOME: place.folder,
      npm_config_update_notifier: 'false',
      DATABASE_URL: place.store.url,
      ...SECRETS,
    },
    timeout: DEADLINE_MS,
  });
  const [stdout, stderr] = await Promise.all([textOf(child.stdout), textOf(child.stderr)]);
  expect(stderr.replaceAll(new RegExp(DATABASE_LINE, 'gm'), '')).toBe('');
  const port = new URL(place.server.address).port;
  const shown = stdout.replaceAll('\r', '').replaceAll(`localhost:${port}`, 'localhost:3000');
  return shown.split(`${END}\n`).slice(0, -1);
}

async function textOf(stream: AsyncIterable<Buffer>): Promise<string> {
  let text = '';
  for await (const chunk of stream) {
    text += String(chunk);
  }
  return text;
}

/** Asserts that the output of a block matches the document. */
function compare({ printed: block }: Step, output: string): void {
  if (block?.language === 'json') {
    const shown: unknown = JSON.parse(block.text);
    expect(maskJson(shown, JSON.parse(output))).toEqual(shown);
  } else if (block !== null) {
    expect(maskText(block.text.trim(), output.trim())).toBe(block.text.trim());
  }
}

/** The commands in a document that can run here. */
function stepsIn(name: string, leftOut: readonly LeftOut[], language: string): Step[] {
  const isLeftOut = ({ text }: Block): boolean => leftOut.some(({ begins }) => text.startsWith(begins));
  const all = stepsOf(blocksOf(readDocument(name)), [language]);
  return all.filter(({ commands }) => !isLeftOut(commands) && isRunnable(commands));
}

/** Runs steps on a new server. @returns the output of each step */
async function runSteps(steps: readonly Step[], runner: Runner): Promise<string[]> {
  const place = await prepare(steps.some(({ commands }) => commands.text.includes(CLIENT_KEY)));
  try {
    return await run(place, steps, runner);
  } finally {
    await clear(place);
  }
}

/** Runs all commands in a document, compares their output with the document, and returns the output. */
export async function runDocument(
  name: string,
  leftOut: readonly LeftOut[] = [],
  runner = SHELL,
): Promise<string> {
  const steps = stepsIn(name, leftOut, runner.language);
  const outputs = steps.length === 0 ? [] : await runSteps(steps, runner);
  steps.forEach((step, index) => compare(step, outputs[index] ?? `nothing, after: ${step.commands.text}`));
  return outputs.join('');
}

/**
 * Runs all commands in several documents, one document after another on one server.
 * @param isRepeated whether to run a block twice
 * @param leftOut the blocks of each document that no test runs
 * @returns the output of each document
 */
export async function runTogether(
  names: readonly string[],
  isRepeated: (commands: string) => boolean,
  leftOut: Readonly<Record<string, readonly LeftOut[]>> = {},
): Promise<string[]> {
  const documents = names.map((name) =>
    stepsIn(name, leftOut[name] ?? [], SHELL.language).flatMap((step) =>
      isRepeated(step.commands.text) ? [step, step] : [step],
    ),
  );
  const outputs = await runSteps(documents.flat(), SHELL);
  return documents.map((steps) => outputs.splice(0, steps.length).join(''));
}
