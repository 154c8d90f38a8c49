import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readEnvFile } from './env-file';

const initial = process.cwd();
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gosset-env-'));
  process.chdir(folder);
});

afterEach(() => {
  process.chdir(initial);
  rmSync(folder, { recursive: true });
  delete process.env.DATABASE_URL;
  delete process.env.PORT;
});

const LINES = 'DATABASE_URL=sqlite:elsewhere/x.sqlite\nPORT="4672" # ä\n';

const read = (file: Buffer | string): [string | null, string?, string?] => {
  writeFileSync('.env', file);
  return [readEnvFile(), process.env.DATABASE_URL, process.env.PORT];
};

it('sets the variables, with and without a byte order mark', () => {
  expect(read(LINES)).toEqual([null, 'sqlite:elsewhere/x.sqlite', '4672']);
  delete process.env.DATABASE_URL;
  expect(read(`\uFEFF${LINES}`)).toEqual([null, 'sqlite:elsewhere/x.sqlite', '4672']);
});

it('keeps variables that are set, even if they are empty', () => {
  process.env.DATABASE_URL = '';
  process.env.PORT = '1';
  expect(read(LINES)).toEqual([null, '', '1']);
});

it('rejects a file in UTF-16 instead of ignoring its lines', () => {
  const utf16 = Buffer.from(`\uFEFF${LINES}`, 'utf16le');
  for (const file of [utf16, Buffer.from(utf16).swap16(), utf16.subarray(2)]) {
    expect(read(file)).toEqual([
      expect.stringMatching(/\.env is not encoded in UTF-8\. Save the file with this encoding\.$/),
      undefined,
      undefined,
    ]);
  }
});
