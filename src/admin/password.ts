import { createInterface } from 'node:readline/promises';
import { Readable, Writable } from 'node:stream';
import { passwordProblem } from '../users/passwords';
import { flag } from './options';
import { RefusedError } from './refusals';

/** A terminal for prompts. */
export interface Terminal {
  input: Readable;
  /** Standard error, so standard output contains only the result. */
  output: Writable;
  isInteractive: boolean;
}

export const passwordStdin = flag('--password-stdin', 'read the password from standard input');

const ownTerminal = (): Terminal => ({
  input: process.stdin,
  output: process.stderr,
  isInteractive: process.stdin.isTTY && process.stdout.isTTY,
});

/** Prompts without echo. */
async function askHidden({ input, output }: Terminal, question: string): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input, output: nowhere, terminal: true });
  output.write(question);
  try {
    return await new Promise<string>((resolve, reject) => {
      lines.once('line', resolve);
      lines.once('close', () => reject(new RefusedError('No password was given.')));
    });
  } finally {
    lines.close();
    output.write('\n');
  }
}

async function askTwice(terminal: Terminal, hint: string): Promise<string> {
  const password = await askHidden(terminal, `Password${hint}: `);
  if (password !== '' && (await askHidden(terminal, 'Repeat the password: ')) !== password) {
    throw new RefusedError('The passwords do not match.');
  }
  return password;
}

async function readAll(input: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of input) {
    chunks.push(Buffer.from(chunk as Buffer));
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks)).replace(/\r?\n$/, '');
  } catch (error) {
    throw new RefusedError('The password is not UTF-8 text.', { cause: error });
  }
}

/** Whether a password can be read: from standard input or from a terminal. */
export const hasPassword = (fromStdin: boolean, { isInteractive }: Terminal = ownTerminal()): boolean =>
  fromStdin || isInteractive;

/**
 * The password from standard input or from a terminal prompt ('' for empty input); null if neither is available.
 * Secrets are never command-line arguments, because other users of the machine can see command lines. @param hint what
 * an empty input means
 */
export async function readPassword(
  fromStdin: boolean,
  hint: string,
  terminal: Terminal = ownTerminal(),
): Promise<string | null> {
  if (!hasPassword(fromStdin, terminal)) {
    return null;
  }
  if (fromStdin) {
    return checked(await readAll(terminal.input));
  }
  const password = await askTwice(terminal, hint);
  return password === '' ? password : checked(password);
}

function checked(password: string): string {
  const problem = passwordProblem(password);
  if (problem !== null) {
    throw new RefusedError(problem);
  }
  return password;
}
