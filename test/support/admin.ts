import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const PROGRAM = resolve(__dirname, '../../dist/src/admin.js');

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

  constructor(
    private readonly databaseUrl: string,
    private readonly environment: Record<string, string> = {},
  ) {}

  /** @param input what comes by standard input */
  run(args: string[], input = ''): Promise<AdminAnswer> {
    const { PATH = '' } = process.env;
    const child = spawn(process.execPath, [PROGRAM, ...args], {
      cwd: this.folder,
      env: { PATH, DATABASE_URL: this.databaseUrl, ...this.environment },
    });
    const answer: AdminAnswer = { code: null, stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => (answer.stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (answer.stderr += text));
    child.stdin.on('error', (error) => (answer.stderr += String(error))).end(input);
    return new Promise((done, fail) => {
      child.on('error', fail).on('close', (code) => done({ ...answer, code }));
    });
  }

  /** The JSON value that a command prints, which must be all that it prints. */
  async json(args: string[], input = ''): Promise<Loose> {
    const { code, stdout, stderr } = await this.run([...args, '--json'], input);
    if (code !== 0 || stderr !== '') {
      throw new Error(`${args.join(' ')} ended with ${code}: ${stderr}`);
    }
    return JSON.parse(stdout);
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Asks again and again until the answer is yes, or the time is over. */
export async function eventually(question: () => Promise<boolean>, withinMs = 5_000): Promise<boolean> {
  const deadline = Date.now() + withinMs;
  while (Date.now() < deadline) {
    if (await question()) {
      return true;
    }
    await sleep(100);
  }
  return false;
}
