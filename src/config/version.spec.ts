import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { VERSION } from './version';

const read = (path: string): string => readFileSync(join(__dirname, '../..', path), 'utf8');
const versionIn = (path: string): unknown => (JSON.parse(read(path)) as { version: unknown }).version;

it.each(['package.json', 'package-lock.json', 'clients/typescript/package.json'])(
  'VERSION is the version in %s',
  (path) => {
    expect(versionIn(path)).toBe(VERSION);
  },
);

it('VERSION is the latest version in the changelog', () => {
  const [, newest] = /^## (\S+)/m.exec(read('CHANGELOG.md')) ?? [];
  expect(newest).toBe(VERSION);
});
