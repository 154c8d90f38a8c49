import { ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const PROGRAM = resolve(__dirname, '../../dist/src/admin.js');
const RUNNER = resolve(__dirname, 'admin-runner.mjs');

/**
 * A function of a shell that does what `npm run -s admin -- ...` does, in the process that `listen` has started at the
 * socket. A command that reads its input, or a file `.env`, has a process of its own.
 * @param alone the command that starts such a process
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

/** The first line of standard error, unless a command was refused before. */
export const DATABASE_LINE = /^Database: .*\n/m;

export interface AdminAnswer {
  code: number | null;
  stdout: string;
  stderr: string;
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests look into answers of any shape
type Loose = any;

/** Runs the built admin command on a database, in an empty folder of its own. */
export class AdminCommand {
  readonly folder = mkdtempSync(join(tmpdir(), 'gosset-admin-'));
  /** What the last command said about its database; answers do not have it. */
  database = '';
  private runner: ChildProcess | null = null;
  private last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly databaseUrl: string,
    private readonly environment: Record<string, string> = {},
  ) {}

  /** Runs a command in a process that later ones run in too, because to start one takes longer than most commands. */
  run(args: string[]): Promise<AdminAnswer> {
    const answer = this.last.then(async () => this.withoutDatabase(await this.ask(args)));
    this.last = answer.catch(() => undefined);
    return answer;
  }

  /**
   * Runs a command in a process of its own, as people do.
   * @param input what comes by standard input
   */
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

  /** The JSON value that a command prints, which must be all that it prints. */
  async json(args: string[], input?: string): Promise<Loose> {
    const given = [...args, '--json'];
    const { code, stdout, stderr } = await (input === undefined
      ? this.run(given)
      : this.runAlone(given, input));
    if (code !== 0 || stderr !== '') {
      throw new Error(`${args.join(' ')} ended with ${code}: ${stderr}`);
    }
    return JSON.parse(stdout);
  }

  /** Runs commands of a shell too (`adminInShell`). @returns the socket that it sends them to */
  async listen(): Promise<string> {
    const socket = join(this.folder, 'socket');
    this.runner = this.started([socket]);
    await once(this.runner, 'message');
    return socket;
  }

  remove(): void {
    this.runner?.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private withoutDatabase(answer: AdminAnswer): AdminAnswer {
    [this.database = ''] = DATABASE_LINE.exec(answer.stderr) ?? [];
    return { ...answer, stderr: answer.stderr.replace(DATABASE_LINE, '') };
  }

  private async ask(args: string[]): Promise<AdminAnswer> {
    this.runner ??= this.started();
    this.runner.send(args);
    const ended = new AbortController();
    const [answer] = (await Promise.race([
      once(this.runner, 'message', { signal: ended.signal }),
      once(this.runner, 'exit', { signal: ended.signal }).then(() => {
        throw new Error(`The process ended in ${args.join(' ')}.`);
      }),
    ]).finally(() => ended.abort())) as [AdminAnswer];
    return answer;
  }

  /** A process that ends with this one, and does not keep it from ending. */
  private started(args: string[] = []): ChildProcess {
    const runner = fork(RUNNER, args, { cwd: this.folder, env: this.variables(), execArgv: [] });
    runner.unref();
    runner.channel?.unref();
    return runner;
  }

  private variables(): Record<string, string> {
    const { PATH = '' } = process.env;
    return { PATH, DATABASE_URL: this.databaseUrl, ...this.environment };
  }
}

/** Asks again and again until the answer is yes, or the time is over. */
export async function eventually(question: () => Promise<boolean>, withinMs = 60_000): Promise<boolean> {
  const deadline = Date.now() + withinMs;
  while (Date.now() < deadline) {
    if (await question()) {
      return true;
    }
    await sleep(100);
  }
  return false;
}
