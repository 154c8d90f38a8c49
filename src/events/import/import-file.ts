import { createHash } from 'node:crypto';
import type { ReadStream } from 'node:fs';
import { FileHandle, open } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { ImportFormat } from './import-format';
import { ImportRefusedError, reasonOf } from './import-refused.error';

const PIECE_BYTES = 262_144;
const GZIP = Buffer.from([0x1f, 0x8b]);

/** A file with events, perhaps compressed. What is appended to it after it was opened is not read. */
export class ImportFile {
  private stream: ReadStream | null = null;

  private constructor(
    private readonly path: string,
    private readonly handle: FileHandle,
    readonly size: number,
  ) {}

  /** @throws ImportRefusedError when it cannot be read, or is no file */
  static async open(path: string): Promise<ImportFile> {
    let handle: FileHandle | null = null;
    try {
      handle = await open(path);
      const stats = await handle.stat();
      if (!stats.isFile()) {
        throw new Error('it is no file.');
      }
      return new ImportFile(path, handle, stats.size);
    } catch (error) {
      await handle?.close();
      throw new ImportRefusedError(`${path} cannot be read: ${reasonOf(error)}`, { cause: error });
    }
  }

  /** How much of it has been read since its content was asked for. */
  get bytesRead(): number {
    return this.stream?.bytesRead ?? 0;
  }

  close(): Promise<void> {
    return this.handle.close();
  }

  /**
   * Tells a file by all that is in it, whatever its name is, and by how it is read. That takes a small part of the
   * time in which its events are stored.
   */
  async fingerprint(format: ImportFormat): Promise<string> {
    const hash = createHash('sha256').update(`${format}\n`);
    for await (const piece of this.readable(this.raw())) {
      hash.update(piece);
    }
    return hash.digest('hex');
  }

  /** What is in it, decompressed if need be. */
  async *content(): AsyncGenerator<Buffer> {
    const isCompressed = await this.isCompressed();
    const raw = this.raw();
    this.stream = raw;
    // A failure of either stream ends both, and is thrown to whoever reads the second.
    yield* this.readable(isCompressed ? pipeline(raw, createGunzip(), () => undefined) : raw);
  }

  private async isCompressed(): Promise<boolean> {
    const { buffer } = await this.handle.read(Buffer.alloc(GZIP.length), 0, GZIP.length, 0);
    return buffer.equals(GZIP);
  }

  private raw(): ReadStream {
    const range = { start: 0, end: Math.max(0, this.size - 1) };
    return this.handle.createReadStream({ ...range, autoClose: false, highWaterMark: PIECE_BYTES });
  }

  private async *readable(stream: Readable): AsyncGenerator<Buffer> {
    try {
      yield* stream as AsyncIterable<Buffer>;
    } catch (error) {
      throw new ImportRefusedError(`${this.path} cannot be read to its end: ${reasonOf(error)}`, {
        cause: error,
      });
    }
  }
}
