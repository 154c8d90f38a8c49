import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Bundle } from './bundle';

let folder: string;
const write = (text: string): void => writeFileSync(join(folder, 'server.js'), text);
const read = (): Bundle => Bundle.read(folder, 'server') as Bundle;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gosset-bundle-'));
  write('exports.sum = () => 1 + 1;');
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('a bundle', () => {
  it('exists only after a build', () => {
    expect(Bundle.read(folder, 'admin')).toBeNull();
  });

  it('runs as a module next to its file', () => {
    write('module.exports = [__dirname, __filename, require("./other.json")];');
    writeFileSync(join(folder, 'other.json'), '7');
    expect(read().run()).toEqual([folder, join(folder, 'server.js'), 7]);
  });

  it('uses the code cache', () => {
    expect(read().isCached).toBe(false);
    read().keepCompiled();
    expect(read().isCached).toBe(true);
    expect((read().run() as { sum(): number }).sum()).toBe(2);
  });

  it('ignores a code cache from a different source of the same length', () => {
    const old = read();
    old.run();
    old.keepCompiled();
    write('exports.sum = () => 1 + 2;');
    expect(read().isCached).toBe(false);
    expect((read().run() as { sum(): number }).sum()).toBe(3);
  });
});
