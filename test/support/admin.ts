import { ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { eventually } from './waiting';

const PROGRAM = resolve(__dirname, '../../dist/src/admin.js');
const PROGRAM_OF_RUNNER = resolve(__dirname, 'admin-runner.mjs');

/**
 * A shell function that replaces `npm run -s admin -- ...` with a request to the runner process on this socket.
 * Commands that read standard input or a `.env` file run in a separate process.
 * @param alone the command that starts a separate process
 */
export const adminInShell = (socket: string, alone: string): string => `npm() {
  [ "\${*:1:4}" = 'run -s admin --' ] || { command npm "$@"; return; }
  shift 4
  if [ -p /dev/stdin ] || [ -f /dev/stdin ] || [ -f .env ]; then ${alone} "$@"; return; fi
  local answers code
  answers="$(mktemp -d)"
  code="$({ printf '%s\\0' "$answers" "$PWD" "$#" "$@"; env -0; } |
    curl --silent --fail --unix-socket ${socket} --data-binary @- http://localhost/)"
  cat "$answers/stdout"
  cat "$answers/stderr" >&2
  rm -r "$answers"
  return "$code"
}
`;

/** Matches the line on standard error that names the database. Commands rejected earlier do not print the line. */
export const DATABASE_LINE = /^Database: .*\n/m;

export interface AdminAnswer {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** A command for the runner. */
interface Order {
  args: string[];
  folder: string;
  variables: Record<string, string>;
  input: string;
}

const RUNNING: unique symbol = Symbol.for('gosset.admin-runner');
/** All test files of a Jest worker share one runner process, because starting it takes longer than most commands. */
const worker = globalThis as { [RUNNING]?: Promise<Runner> };

/** A child process that runs commands one at a time. It exits with its parent, and does not keep the parent alive. */
class Runner {
  private last: Promise<unknown> = Promise.resolve();

  private constructor(
    private readonly child: ChildProcess,
    readonly socket: string,
  ) {}

  static get(): Promise<Runner> {
    worker[RUNNING] ??= Runner.start();
    return worker[RUNNING];
  }

  private static async start(): Promise<Runner> {
    const folder = mkdtempSync(join(tmpdir(), 'gosset-admins-'));
    const { PATH = '' } = process.env;
    const child = fork(PROGRAM_OF_RUNNER, [folder], { cwd: folder, env: { PATH }, execArgv: [] });
    child.once('exit', () => (worker[RUNNING] = undefined));
    await messageOf(child, 'its start');
    child.unref();
    child.channel?.unref();
    return new Runner(child, join(folder, 'socket'));
  }

  run(order: Order): Promise<AdminAnswer> {
    const answer = this.last.then(() => {
      this.child.send(order);
      return messageOf(this.child, order.args.join(' ')) as Promise<AdminAnswer>;
    });
    this.last = answer.catch(() => undefined);
    return answer;
  }
}

async function messageOf(child: ChildProcess, what: string): Promise<unknown> {
  const ended = new AbortController();
  const exit = once(child, 'exit', { signal: ended.signal }).then(() => {
    throw new Error(`The process ended in ${what}.`);
  });
  const message = once(child, 'message', { signal: ended.signal });
  const [answer] = (await Promise.race([message, exit]).finally(() => ended.abort())) as [unknown];
  return answer;
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests read responses of any shape
type Loose = any;

/** Runs the built admin command on a database, in a new empty folder. */
export class AdminCommand {
  readonly folder = mkdtempSync(join(tmpdir(), 'gosset-admin-'));
  /** The line in which the last command named its database. It is removed from the output. */
  database = '';

  constructor(
    private readonly databaseUrl: string,
    private readonly environment: Record<string, string> = {},
  ) {}

  /** Runs a command in the shared process. @param input the standard input */
  async run(args: string[], input = ''): Promise<AdminAnswer> {
    const { folder } = this;
    const runner = await Runner.get();
    return this.withoutDatabase(await runner.run({ args, folder, variables: this.variables(), input }));
  }

  /** Runs a command in a separate process, as users do. @param input the standard input */
  runAlone(args: string[], input = ''): Promise<AdminAnswer> {
    const child = spawn(process.execPath, [PROGRAM, ...args], { cwd: this.folder, env: this.variables() });
    const answer: AdminAnswer = { code: null, stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => (answer.stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (answer.stderr += text));
    child.stdin.on('error', (error) => (answer.stderr += String(error))).end(input);
    return new Promise((done, fail) => {
      child.on('error', fail).on('close', (code) => done(this.withoutDatabase({ ...answer, code })));
    });
  }

  /** Runs a command with `--json`, and asserts that it succeeds without error output. @returns the printed value */
  async json(args: string[], input?: string): Promise<Loose> {
    const { code, stdout, stderr } = await this.run([...args, '--json'], input);
    if (code !== 0 || stderr !== '') {
      throw new Error(`${args.join(' ')} ended with ${code}: ${stderr}`);
    }
    return JSON.parse(stdout);
  }

  /** The socket for commands from a shell (`adminInShell`). */
  async socket(): Promise<string> {
    return (await Runner.get()).socket;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  private withoutDatabase(answer: AdminAnswer): AdminAnswer {
    [this.database = ''] = DATABASE_LINE.exec(answer.stderr) ?? [];
    return { ...answer, stderr: answer.stderr.replace(DATABASE_LINE, '') };
  }

  private variables(): Record<string, string> {
    const { PATH = '' } = process.env;
    return { PATH, DATABASE_URL: this.databaseUrl, ...this.environment };
  }
}

/** Repeats a request until the response is not 503, and returns the last response. */
export async function afterOutage<R extends { status: number }>(request: () => Promise<R>): Promise<R> {
  let response = await request();
  await eventually(async () => {
    response = response.status === 503 ? await request() : response;
    return response.status !== 503;
  });
  return response;
}
