import fc from 'fast-check';
import type { ImportFormat } from '../file-formats';
import { csvFields, FileRecord, recordsOf } from './file-records';

/** Splits the file into chunks of the given sizes, in rotation. */
async function* inPieces(content: Buffer, sizes: readonly number[]): AsyncGenerator<Buffer> {
  for (let start = 0, turn = 0; start < content.length; turn += 1) {
    const end = start + (sizes[turn % sizes.length] ?? 1);
    yield content.subarray(start, end);
    start = end;
  }
}

async function read(content: string | Buffer, format: ImportFormat, sizes = [7]): Promise<FileRecord[]> {
  const records: FileRecord[] = [];
  for await (const record of recordsOf(inPieces(Buffer.from(content), sizes), format)) {
    records.push(record);
  }
  return records;
}

const told = (records: readonly FileRecord[]): (string | number | null)[][] =>
  records.map(({ line, lastLine, bytes }) => [line, lastLine, bytes?.toString() ?? null]);

const quoted = (cell: string): string => `"${cell.replaceAll('"', '""')}"`;

describe('recordsOf', () => {
  it('numbers lines as an editor does, with any line ending', async () => {
    expect(told(await read('\ufeffone\r\n\n  \r\ntwo\nthree', 'ndjson'))).toEqual([
      [1, 1, 'one'],
      [4, 4, 'two'],
      [5, 5, 'three'],
    ]);
  });

  it('reads back any CSV table, in chunks of any size', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.array(fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', 'é') }), {
            minLength: 2,
            maxLength: 3,
          }),
        ),
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
        async (table, sizes) => {
          const content = table.map((row) => `${row.map(quoted).join(',')}\n`).join('');
          const records = await read(content, 'csv', sizes);
          expect(records.map(({ bytes }) => bytes && csvFields(bytes))).toEqual(table);
        },
      ),
    ));

  it('rejects only the first line of a record that never ends', async () => {
    expect(told(await read('a,"b\nc,d\n\n"e\nf",g\nh,"i', 'csv'))).toEqual([
      [1, 1, 'a,"b'],
      [2, 2, 'c,d'],
      [4, 5, '"e\nf",g'],
      [6, 6, 'h,"i'],
    ]);
  });

  it.each(['ndjson', 'csv'] as const)('does not keep a line that is too long (%s)', async (format) => {
    const long = Buffer.alloc(3_000_000, 'x');
    const content = Buffer.concat([
      Buffer.from('a\n'),
      long,
      Buffer.from('\nb\n"c'),
      long,
      Buffer.from('"\nd'),
    ]);
    const records = await read(content, format, [65_536]);
    expect(told(records)).toEqual([
      [1, 1, 'a'],
      [2, 2, null],
      [3, 3, 'b'],
      [4, 4, null],
      [5, 5, 'd'],
    ]);
  });

  it('accepts lines of a mebibyte, but not a byte more', async () => {
    const line = 'x'.repeat(1_048_576);
    const lengths = (await read(`${line}\n${line}x\n`, 'ndjson', [100_000])).map(
      ({ bytes }) => bytes?.length,
    );
    expect(lengths).toEqual([1_048_576, undefined]);
  });

  it('takes linear time with many unclosed quotes', async () => {
    const content = 'a,"b\nc\nd\ne\n'.repeat(2_000);
    const start = performance.now();
    expect((await read(content, 'csv', [65_536])).length).toBeGreaterThan(4_000);
    expect(performance.now() - start).toBeLessThan(5_000);
  });
});
