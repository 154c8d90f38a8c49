import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AdminCommand } from './admin';
import { SECRET } from './api';
import { Block, blocksOf, maskJson, maskText, readDocument, ROOT, Step, stepsOf } from './documents';
import { createTestDatabase, engine, TestDatabase } from './engine';
import { ServerProcess } from './server-process';

/* Running what a document says, in a folder that looks like the project's, against a server with the demo. */

/** Commands that no test runs. */
export interface LeftOut {
  /** How the block begins. */
  begins: string;
  reason: string;
}

const LINKED = ['dist', 'node_modules', 'package.json', '.env.example'];
const OPTIONAL_PROGRAMS = ['sqlite3', 'mysqldump', 'mysql'];
const END = 'end of a block';

/** Does what `npm run -s admin -- ...` does, without the time that npm takes for it. */
const ADMIN = `npm() {
  [ "\${*:1:4}" = 'run -s admin --' ] || { command npm "$@"; return; }
  ${adminScript()} "\${@:5}"
}
`;

function adminScript(): string {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  return scripts.admin ?? '';
}
const DEADLINE_MS = 240_000;

const isInstalled = (program: string): boolean => spawnSync(program, ['--version']).error === undefined;

/** Can these commands be run here? Those for another engine cannot, nor those of programs that are not there. */
function isRunnable({ text, only }: Block): boolean {
  const missing = OPTIONAL_PROGRAMS.filter((program) => new RegExp(`^${program} `, 'm').test(text));
  return (only === null || only === engine) && missing.every(isInstalled);
}

interface Place {
  store: TestDatabase;
  folder: string;
  server: ServerProcess;
  token: string;
}

/** On SQLite everything is in the folder's own `data`, as it is where nothing was configured. */
const databaseIn = (folder: string): Promise<TestDatabase> | TestDatabase =>
  engine === 'mysql'
    ? createTestDatabase()
    : { url: `sqlite:${join(folder, 'data', 'gosset.sqlite')}`, remove: () => Promise.resolve() };

const SECRETS = { SESSION_SECRET: engine === 'mysql' ? SECRET : '' };

async function prepare(): Promise<Place> {
  const folder = mkdtempSync(join(tmpdir(), 'gosset-document-'));
  LINKED.forEach((name) => symlinkSync(join(ROOT, name), join(folder, name)));
  const store = await databaseIn(folder);
  const admin = new AdminCommand(store.url, SECRETS);
  await admin.json(['db:migrate']);
  const { token } = (await admin.json(['db:seed-demo', '--quickstart'])) as { token: string };
  admin.remove();
  const environment = { DATABASE_URL: store.url, LOG_LEVEL: 'warn', ...SECRETS };
  const server = await (await ServerProcess.spawn(environment)).ready();
  return { store, folder, server, token };
}

async function clear({ store, folder, server }: Place): Promise<void> {
  server.kill('SIGTERM');
  await server.exit;
  await store.remove();
  rmSync(folder, { recursive: true, force: true });
}

/** What documents show, and what it is here. */
function realNames({ store, server, token }: Place): [shown: string, real: string][] {
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
    ...(engine === 'mysql' ? onMysql : []),
    ['localhost:3000', `localhost:${port}`],
    ['gos_...', token],
  ];
}

function replaced(text: string, pairs: readonly (readonly [from: string, to: string])[]): string {
  return pairs.reduce((result, [from, to]) => result.replaceAll(from, to), text);
}

/** Runs the commands one after another in one shell; what each printed, as far as they came. */
async function run(place: Place, steps: readonly Step[]): Promise<string[]> {
  const names = realNames(place);
  const script = steps
    .map(({ commands }) => `${replaced(commands.text, names)}\necho; echo "${END}"\n`)
    .join('');
  const { PATH = '' } = process.env;
  const child = spawn('bash', ['--norc', '-euo', 'pipefail', '-c', ADMIN + script], {
    cwd: place.folder,
    env: {
      PATH,
      HOME: place.folder,
      npm_config_update_notifier: 'false',
      DATABASE_URL: place.store.url,
      ...SECRETS,
    },
    timeout: DEADLINE_MS,
  });
  const [stdout, stderr] = await Promise.all([textOf(child.stdout), textOf(child.stderr)]);
  expect(stderr).toBe('');
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

/** Compares what a block printed with what the document says. */
function compare({ printed: block }: Step, output: string): void {
  if (block?.language === 'json') {
    const shown: unknown = JSON.parse(block.text);
    expect(maskJson(shown, JSON.parse(output))).toEqual(shown);
  } else if (block !== null) {
    expect(maskText(block.text.trim(), output.trim())).toBe(block.text.trim());
  }
}

/** All that the commands of a document print, after comparing it with what the document says. */
export async function runDocument(name: string, leftOut: readonly LeftOut[] = []): Promise<string> {
  const isLeftOut = ({ text }: Block): boolean => leftOut.some(({ begins }) => text.startsWith(begins));
  const all = stepsOf(blocksOf(readDocument(name)));
  const steps = all.filter(({ commands }) => !isLeftOut(commands) && isRunnable(commands));
  if (steps.length === 0) {
    return '';
  }
  const place = await prepare();
  try {
    const outputs = await run(place, steps);
    steps.forEach((step, index) => compare(step, outputs[index] ?? `nothing, after: ${step.commands.text}`));
    return outputs.join('');
  } finally {
    await clear(place);
  }
}
