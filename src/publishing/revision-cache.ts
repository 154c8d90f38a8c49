import { createHash, randomUUID } from 'node:crypto';
import { access, constants, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Injectable, Logger, OnApplicationShutdown } from '@nestjs/common';
import { systemCode } from '../common/files';
import { Config } from '../config/config';
import { PUBLICATION_PARTS } from './publication.entity';
import type { PublicationParts } from './publication.store';
import type { Published } from './published';
import { Revision, toPublished } from './revision';

const MAX_FILES = 1_000;
const MAX_BYTES = 256 * 1024 * 1024;
const SUFFIX = '.revision';
const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;

/**
 * Disk cache of the last known revisions. Processes that have just started, or have evicted a revision from memory, use
 * the cache while the database is unavailable. An available database takes precedence over the cache. Several processes
 * can share the folder.
 */
@Injectable()
export class RevisionCache implements OnApplicationShutdown {
  private readonly logger = new Logger('RevisionCache');
  private readonly pending = new Map<string, Revision>();
  private tail: Promise<void> = Promise.resolve();
  /** The file sizes by name, the oldest file first. They are read from the folder on first use. */
  private sizes: Map<string, number> | null = null;
  private hasFailed = false;

  constructor(private readonly config: Config) {}

  /**
   * Checks in the background that copies can be stored. If they cannot, a warning is logged, and the server runs without
   * the cache.
   */
  prepare(): void {
    this.enqueue(async () => {
      await this.makeFolder();
      await access(this.config.cacheDir, constants.W_OK);
    });
  }

  /** Stores a copy of a revision in the background. Disk errors are logged once. */
  keep(revision: Revision): void {
    this.pending.set(revision.clientKey, revision);
    this.enqueue(() => this.write(revision.clientKey));
  }

  /** Removes the copy of a deleted project, even if a different process has stored it. */
  remove(clientKey: string): void {
    this.pending.delete(clientKey);
    this.enqueue(async () => {
      const name = nameOf(clientKey);
      this.sizes?.delete(name);
      await rm(this.pathOf(name), { force: true });
    });
  }

  /** The copy for a client key; null if there is none or it is damaged. */
  async find(clientKey: string): Promise<Published | null> {
    const file = this.pathOf(nameOf(clientKey));
    const bytes = await readFile(file)
      .catch(nullIfMissing)
      .catch((error: unknown) => {
        this.report(error);
        return null;
      });
    if (bytes === null) {
      return null;
    }
    const published = readable(bytes);
    if (published?.clientKey !== clientKey) {
      this.logger.warn(`The copy of a revision in ${file} is corrupt and will be removed.`);
      this.remove(clientKey);
      return null;
    }
    return published;
  }

  /** Whether there are no copies. */
  async isEmpty(): Promise<boolean> {
    const names = await readdir(this.config.cacheDir).catch(() => []);
    return !names.some((name) => name.endsWith(SUFFIX));
  }

  /** Waits until all pending copies are stored. */
  onApplicationShutdown(): Promise<void> {
    return this.tail;
  }

  private enqueue(work: () => Promise<void>): void {
    this.tail = this.tail.then(work).catch((error: unknown) => this.report(error));
  }

  /** Writes to a temporary file and renames it, so readers never see a partial file. */
  private async write(clientKey: string): Promise<void> {
    const revision = this.pending.get(clientKey);
    if (revision === undefined) {
      return;
    }
    this.pending.delete(clientKey);
    const bytes = encodeRevision(revision);
    await this.makeFolder();
    const sizes = await this.index();
    const name = nameOf(clientKey);
    const temporary = this.pathOf(`${name}.${randomUUID()}`);
    try {
      await writeFile(temporary, bytes, { mode: FILE_MODE });
      await rename(temporary, this.pathOf(name));
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
    sizes.delete(name);
    sizes.set(name, bytes.length);
    await this.prune(sizes);
  }

  /** Removes the oldest copies until the remaining ones are within the limits. */
  private async prune(sizes: Map<string, number>): Promise<void> {
    let total = [...sizes.values()].reduce((sum, size) => sum + size, 0);
    for (const [name, size] of sizes) {
      if (sizes.size <= MAX_FILES && total <= MAX_BYTES) {
        return;
      }
      sizes.delete(name);
      total -= size;
      await rm(this.pathOf(name), { force: true });
    }
  }

  private async index(): Promise<Map<string, number>> {
    if (this.sizes === null) {
      const names = await readdir(this.config.cacheDir).catch(() => []);
      const files: { name: string; size: number; at: number }[] = [];
      for (const name of names.filter((each) => each.includes(SUFFIX))) {
        const found = await stat(this.pathOf(name)).catch(nullIfMissing);
        if (found !== null) {
          files.push({ name, size: found.size, at: found.mtimeMs });
        }
      }
      files.sort((a, b) => a.at - b.at);
      this.sizes = new Map(files.map(({ name, size }) => [name, size]));
    }
    return this.sizes;
  }

  private async makeFolder(): Promise<void> {
    await mkdir(this.config.cacheDir, { recursive: true, mode: FOLDER_MODE });
  }

  private pathOf(name: string): string {
    return join(this.config.cacheDir, name);
  }

  private report(error: unknown): void {
    if (!this.hasFailed) {
      this.hasFailed = true;
      const reason = error instanceof Error ? error.message : String(error);
      this.logger.warn(`Copies of revisions cannot be stored in ${this.config.cacheDir}: ${reason}`);
    }
  }
}

/** @returns null for data from other releases and for corrupt data */
function readable(bytes: Buffer): Published | null {
  try {
    const revision = decodeRevision(bytes);
    return revision === null ? null : toPublished(revision);
  } catch {
    return null;
  }
}

/** The file name is a hash, because the key comes from a request and file systems may be case-insensitive. */
const nameOf = (clientKey: string): string =>
  `${createHash('sha256').update(clientKey).digest('hex').slice(0, 32)}${SUFFIX}`;

/*
 * The file format of a revision: one line with the format name and the checksum of everything after it, one line of
 * JSON with the other fields and the sizes of the parts, and then the parts.
 */

const FORMAT = 'gosset-revision-1';
const LINE_END = 0x0a;

type Facts = Omit<Revision, 'parts'> & { sizes: number[] };

const checksum = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

function encodeRevision({ parts, ...facts }: Revision): Buffer {
  const sizes = PUBLICATION_PARTS.map((name) => parts[name].length);
  const line = Buffer.from(`${JSON.stringify({ ...facts, sizes })}\n`);
  const rest = Buffer.concat([line, ...PUBLICATION_PARTS.map((name) => parts[name])]);
  return Buffer.concat([Buffer.from(`${FORMAT} ${checksum(rest)}\n`), rest]);
}

/** @returns null if the checksum does not match */
function decodeRevision(bytes: Buffer): Revision | null {
  const [head, rest] = cutLine(bytes);
  if (head !== `${FORMAT} ${checksum(rest)}`) {
    return null;
  }
  const [line, body] = cutLine(rest);
  const { sizes, ...facts } = JSON.parse(line) as Facts;
  const parts: Partial<PublicationParts> = {};
  let start = 0;
  for (const [index, name] of PUBLICATION_PARTS.entries()) {
    parts[name] = body.subarray(start, (start += sizes[index]));
  }
  return { ...facts, parts: parts as PublicationParts };
}

function cutLine(bytes: Buffer): [line: string, rest: Buffer] {
  const end = bytes.indexOf(LINE_END);
  return end < 0 ? ['', bytes] : [bytes.subarray(0, end).toString(), bytes.subarray(end + 1)];
}

/**
 * Ignores a missing file, because a different process on this machine may have removed it. Rethrows all other errors.
 */
function nullIfMissing(error: unknown): null {
  if (systemCode(error) !== 'ENOENT') {
    throw error;
  }
  return null;
}
