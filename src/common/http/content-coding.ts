import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { Negotiator } from '@fastify/accept-negotiator';
import { LRUCache } from 'lru-cache';
import { MAX_ACCEPT_ENCODING } from '../limits';

/** The content coding of a body. */
export type ContentCoding = 'br' | 'gzip' | 'identity';

const MAX_HEADERS = 1_000;
/** Higher levels take twice as long and reduce the size by at most a further tenth. */
const BROTLI_QUALITY = 4;
const GZIP_LEVEL = 6;

/**
 * Minimum size of a body whose compressed form is cached. For smaller bodies, compressing is faster than a cache
 * lookup.
 */
const MIN_KEPT_BYTES = 16 * 1024;
const MAX_KEPT_BYTES = 16 * 1024 * 1024;

const negotiator = new Negotiator({
  supportedValues: ['br', 'gzip', 'identity'],
  cache: new LRUCache<string, string>({ max: MAX_HEADERS }),
});

/** The preferred coding of an `Accept-Encoding` header; identity if there is no header. */
export function contentCoding(header: string | undefined): ContentCoding {
  const asked = header === undefined || header.length > MAX_ACCEPT_ENCODING ? 'identity' : header;
  return negotiator.negotiate(asked) ?? 'identity';
}

/** The same bytes in each coding. */
export type CodedBody = Readonly<Record<ContentCoding, Buffer>>;

const brotliOf = promisify(brotliCompress);
const gzipOf = promisify(gzip);

const compressors: Readonly<Record<Exclude<ContentCoding, 'identity'>, (bytes: Buffer) => Promise<Buffer>>> =
  {
    br: (bytes) =>
      brotliOf(bytes, {
        params: {
          [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
          [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
        },
      }),
    gzip: (bytes) => gzipOf(bytes, { level: GZIP_LEVEL }),
  };

/**
 * Compressed bodies. The keys contain the hash of the uncompressed bytes, so entries are valid for every request and
 * never stale.
 */
const kept = new LRUCache<string, Buffer>({
  maxSize: MAX_KEPT_BYTES,
  sizeCalculation: ({ length }) => Math.max(length, 1),
});

/** Encodes bytes in the thread pool, so the event loop is not blocked. */
export async function encoded(bytes: Buffer, coding: ContentCoding): Promise<Buffer> {
  if (coding === 'identity') {
    return bytes;
  }
  if (bytes.length < MIN_KEPT_BYTES) {
    return compressors[coding](bytes);
  }
  const key = `${coding} ${hash('sha256', bytes, 'base64')}`;
  const known = kept.get(key);
  if (known !== undefined) {
    return known;
  }
  const body = await compressors[coding](bytes);
  kept.set(key, body);
  return body;
}

/** Encodes text in all codings, for content that the caller keeps. */
export async function codedBody(text: string): Promise<CodedBody> {
  const identity = Buffer.from(text);
  const [br, gzipped] = await Promise.all([compressors.br(identity), compressors.gzip(identity)]);
  return { identity, br, gzip: gzipped };
}
