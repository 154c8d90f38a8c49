import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import type { Config } from '../config/config';
import type { Revision } from './revision';
import { RevisionCache } from './revision-cache';

let folder: string;

beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'gosset-copies-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const cacheIn = (cacheDir: string): RevisionCache => new RevisionCache({ cacheDir } as Config);

const revision = (clientKey: string, script = ''): Revision => ({
  projectId: 1,
  clientKey,
  revision: 1,
  sha256: '0'.repeat(64),
  names: [],
  parts: {
    definitions: Buffer.from(JSON.stringify({ storage: 'localStorage', environments: [], experiments: [] })),
    payload: Buffer.from(JSON.stringify({ features: {}, experiments: [] })),
    script: Buffer.from(script),
    script_gzip: Buffer.from([0, 10, 255]),
    script_brotli: Buffer.alloc(0),
  },
});

it('returns stored revisions, even to another process', async () => {
  const cache = cacheIn(join(folder, 'new', 'cache'));
  expect(await cache.isEmpty()).toBe(true);
  cache.keep(revision('pk_A', 'old'));
  cache.keep(revision('pk_A', 'new\nline'));
  cache.keep(revision('pk_a', 'other'));
  await cache.onApplicationShutdown();
  const other = cacheIn(join(folder, 'new', 'cache'));
  const [upper, lower] = [await other.find('pk_A'), await other.find('pk_a')];
  expect([upper?.snippet.plain.toString(), lower?.snippet.plain.toString()]).toEqual(['new\nline', 'other']);
  expect(upper?.snippet.gzip).toEqual(Buffer.from([0, 10, 255]));
  expect(await other.find('../../pk_A')).toBeNull();
  other.remove('pk_A');
  await other.onApplicationShutdown();
  expect([await cache.find('pk_A'), await cache.isEmpty()]).toEqual([null, false]);
});

it('removes copies that another process stored after the folder was read', async () => {
  const [cache, other] = [cacheIn(folder), cacheIn(folder)];
  cache.keep(revision('pk_A'));
  await cache.onApplicationShutdown();
  other.keep(revision('pk_B'));
  await other.onApplicationShutdown();
  cache.remove('pk_B');
  cache.remove('pk_C');
  await cache.onApplicationShutdown();
  expect(readdirSync(folder)).toHaveLength(1);
  expect([await cache.find('pk_A'), await other.find('pk_B')]).toEqual([expect.anything(), null]);
});

it('keeps only the latest 1,000 files', async () => {
  const cache = cacheIn(folder);
  for (let index = 0; index < 1_010; index += 1) {
    cache.keep(revision(`pk_${index}`));
  }
  await cache.onApplicationShutdown();
  expect(readdirSync(folder)).toHaveLength(1_000);
  expect(await cache.find('pk_9')).toBeNull();
  expect(await cache.find('pk_1009')).not.toBeNull();
});

it('leaves no temporary file if a copy cannot get its name', async () => {
  const warnings = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
  const cache = cacheIn(folder);
  cache.keep(revision('pk_A'));
  await cache.onApplicationShutdown();
  const [name] = readdirSync(folder);
  rmSync(join(folder, name));
  mkdirSync(join(folder, name));
  cache.keep(revision('pk_A'));
  await cache.onApplicationShutdown();
  expect(readdirSync(folder)).toEqual([name]);
  warnings.mockRestore();
});

it('continues if writing fails', async () => {
  const file = join(folder, 'file');
  writeFileSync(file, '');
  const warnings = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
  const cache = cacheIn(join(file, 'cache'));
  cache.keep(revision('pk_A'));
  cache.keep(revision('pk_B'));
  await cache.onApplicationShutdown();
  expect([await cache.find('pk_A'), await cache.isEmpty()]).toEqual([null, true]);
  expect(warnings.mock.calls).toEqual([
    [expect.stringContaining(`Copies of revisions cannot be stored in ${file}`)],
  ]);
  warnings.mockRestore();
});
