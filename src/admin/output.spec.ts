import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PROGRAM = join(__dirname, '../../dist/src/admin.js');

describe('the output of a command', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gosset-output-'));
  const args = ['users:create', '--email', 'ada@example.com', '--name', 'Ada'];

  afterAll(() => rmSync(folder, { recursive: true }));

  /** @param output the shell code after the command, such as a redirection */
  function run(command: readonly string[], output: string): { status: number | null; errors: string[] } {
    const env = { PATH: process.env.PATH, DATABASE_URL: 'sqlite:output.sqlite' };
    const line = [process.execPath, PROGRAM, ...command].map((word) => `'${word}'`).join(' ');
    const { status, stderr } = spawnSync('bash', ['-c', `set -o pipefail; ${line} ${output}`], {
      cwd: folder,
      env,
      encoding: 'utf8',
    });
    return { status, errors: stderr.split('\n').filter((text) => text.startsWith('The command')) };
  }

  it('makes the command fail if it is lost because the disk is full', () => {
    expect(run(args, '> /dev/full')).toEqual({
      status: 1,
      errors: [expect.stringMatching(/^The command succeeded, but its output could not be written: ENOSPC/)],
    });
  });

  it('may be read only in part, for example by `head`, without causing an error', () => {
    expect(run(['users:list'], '| true')).toEqual({ status: 0, errors: [] });
  });
});
