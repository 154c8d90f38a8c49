import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import * as files from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ExportFile } from './export-target';

describe('two exports to the same file at once', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gosset-export-'));
  });

  afterEach(() => {
    jest.restoreAllMocks();
    rmSync(folder, { recursive: true });
  });

  const pathOf = (): string => join(folder, 'rules.ndjson');

  async function written(text: string, overwrite = false): Promise<ExportFile> {
    const file = await ExportFile.create(pathOf(), overwrite);
    await file.write(Buffer.from(text));
    return file;
  }

  it.each([true, false])('finish only one of them (file system with hard links: %p)', async (hasLinks) => {
    if (!hasLinks) {
      const refused = Object.assign(new Error('operation not permitted'), { code: 'EPERM' });
      jest.spyOn(files, 'link').mockRejectedValue(refused);
    }
    const both = [await written('one'), await written('other')];
    const outcomes = await Promise.allSettled(both.map((file) => file.finish()));
    const lost = outcomes.findIndex(({ status }) => status === 'rejected');
    expect(outcomes[lost]).toMatchObject({
      reason: { message: `${pathOf()} exists. Choose another name, or add --overwrite.` },
    });
    await both[lost]?.discard();
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(readdirSync(folder)).toEqual(['rules.ndjson']);
    expect(readFileSync(pathOf(), 'utf8')).toBe(lost === 0 ? 'other' : 'one');
    await both[1 - lost]?.discard();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('replace each other with --overwrite, and leave what is there when they fail later', async () => {
    writeFileSync(pathOf(), 'old');
    for (const text of ['one', 'other']) {
      const file = await written(text, true);
      await file.finish();
      await file.discard();
    }
    expect(readdirSync(folder)).toEqual(['rules.ndjson']);
    expect(readFileSync(pathOf(), 'utf8')).toBe('other');
  });
});
