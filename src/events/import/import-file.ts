import { createHash } from 'node:crypto';
import type { ReadStream } from 'node:fs';
import { FileHandle, open } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { ImportFormat } from '../file-formats';

/** The import is impossible or incomplete. The message is meant for the user. */
export class ImportRefusedError extends Error {}

/** The first line of an error message. */
function reasonOf(error: unknown): string {
  const { message } = Object(error) as { message?: unknown };
  return typeof message === 'string' ? (message.split('\n')[0] ?? '') : String(error);
}

const PIECE_BYTES = 262_144;
const GZIP = Buffer.from([0x1f, 0x8b]);

/** A file of events, optionally compressed with gzip. Data appended after the file was opened is not read. */
export class ImportFile {
  private stream: ReadStream | null = null;

  private constructor(
    private readonly path: string,
    private readonly handle: FileHandle,
    readonly size: number,
  ) {}

  /** @throws ImportRefusedError if it cannot be read, or is not a file */
  static async open(path: string): Promise<ImportFile> {
    let handle: FileHandle | null = null;
    try {
      handle = await open(path);
      const stats = await handle.stat();
      if (!stats.isFile()) {
        throw new Error('it is not a file.');
      }
      return new ImportFile(path, handle, stats.size);
    } catch (error) {
      await handle?.close();
      throw new ImportRefusedError(`${path} cannot be read: ${reasonOf(error)}`, { cause: error });
    }
  }

  /** Bytes read so far. */
  get bytesRead(): number {
    return this.stream?.bytesRead ?? 0;
  }

  close(): Promise<void> {
    return this.handle.close();
  }

  /**
   * Identifies a file by a hash of its content and format, independent of its name. Hashing takes little time compared
   * with storing the events.
   */
  async fingerprint(format: ImportFormat): Promise<string> {
    const hash = createHash('sha256').update(`${format}\n`);
    for await (const piece of this.readable(this.raw())) {
      hash.update(piece);
    }
    return hash.digest('hex');
  }

  /** The file's content, decompressed if necessary. */
  async *content(): AsyncGenerator<Buffer> {
    const isCompressed = await this.isCompressed();
    const raw = this.raw();
    this.stream = raw;
    // An error in either stream destroys both, and is thrown to the reader of the second stream.
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
      throw new ImportRefusedError(`${this.path} cannot be read to the end: ${reasonOf(error)}`, {
        cause: error,
      });
    }
  }
}
