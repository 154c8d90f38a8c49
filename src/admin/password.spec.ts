import { PassThrough } from 'node:stream';
import { readPassword, Terminal } from './password';

/** Simulates a user who types these lines, one after each prompt. */
function person(...lines: string[]): { terminal: Terminal; shown: () => string } {
  const input = new PassThrough();
  const output = new PassThrough();
  let shown = '';
  output.on('data', (chunk: Buffer) => {
    shown += chunk.toString();
    const line = shown.endsWith(': ') ? lines.shift() : undefined;
    if (line !== undefined) {
      setImmediate(() => input.write(line));
    }
  });
  return { terminal: { input, output, isInteractive: true }, shown: () => shown };
}

function pipe(content: Buffer | string): Terminal {
  const input = new PassThrough();
  input.end(content);
  return { input, output: new PassThrough(), isInteractive: false };
}

describe('reading a password', () => {
  it('prompts twice on a terminal, without echo', async () => {
    const { terminal, shown } = person('correct horse\r', 'correct horse\r');
    expect(await readPassword(false, ' (empty for none)', terminal)).toBe('correct horse');
    expect(shown()).toBe('Password (empty for none): \nRepeat the password: \n');
  });

  it('rejects two passwords that differ', async () => {
    const { terminal } = person('correct horse\r', 'correct house\r');
    await expect(readPassword(false, '', terminal)).rejects.toThrow('The passwords do not match.');
  });

  it('rejects a typed password that is too short', async () => {
    const { terminal } = person('short\r', 'short\r');
    await expect(readPassword(false, '', terminal)).rejects.toThrow('10 to 1024 characters, not 5');
  });

  it('treats empty input as no password, and does not prompt again', async () => {
    const { terminal, shown } = person('\r');
    expect(await readPassword(false, '', terminal)).toBe('');
    expect(shown()).toBe('Password: \n');
  });

  it('stops when the prompt is interrupted', async () => {
    const { terminal } = person('\u0003');
    await expect(readPassword(false, '', terminal)).rejects.toThrow('No password was given.');
  });

  it('reads all of standard input, except the last line ending', async () => {
    expect(await readPassword(true, '', pipe('  spaces count  \r\n'))).toBe('  spaces count  ');
  });

  it('rejects input that is not text', async () => {
    await expect(readPassword(true, '', pipe(Buffer.alloc(12, 0xff)))).rejects.toThrow('UTF-8');
    await expect(readPassword(true, '', pipe('correct\0horse'))).rejects.toThrow('NUL');
  });

  it('returns null without a terminal', async () => {
    expect(await readPassword(false, '', pipe('correct horse'))).toBeNull();
  });
});
