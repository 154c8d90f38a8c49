import { promisify } from 'node:util';
import { brotliCompress, brotliCompressSync, constants, gzip, gzipSync } from 'node:zlib';
import { Negotiator } from '@fastify/accept-negotiator';
import { LRUCache } from 'lru-cache';

/*
 * Content coding. `@fastify/compress` is not used: it sends one strong ETag for all codings and `Vary` with compressed
 * responses only, and it covers routes only, not 404 pages and error responses. Shared content is compressed once and
 * cached here. The JSON of the API is not compressed: its ETags identify records for `If-Match`, independent of the
 * coding, and responses are cached as bytes. A reverse proxy can compress it for slow networks.
 */

/** The content coding of a body. */
export type ContentCoding = 'br' | 'gzip' | 'identity';

const MAX_HEADERS = 1_000;
/** Maximum length of a parsed header. */
const MAX_HEADER_LENGTH = 200;
const BROTLI_QUALITY = 5;

const negotiator = new Negotiator({
  supportedValues: ['br', 'gzip', 'identity'],
  cache: new LRUCache<string, string>({ max: MAX_HEADERS }),
});

/** The preferred coding of an `Accept-Encoding` header; identity without a header. */
export function contentCoding(header: string | undefined): ContentCoding {
  const asked = header === undefined || header.length > MAX_HEADER_LENGTH ? 'identity' : header;
  return negotiator.negotiate(asked) ?? 'identity';
}

/** The same bytes in each coding. */
export type CodedBody = Readonly<Record<ContentCoding, Buffer>>;

const brotliOf = promisify(brotliCompress);
const gzipOf = promisify(gzip);

const brotliParams = (bytes: Buffer): Record<number, number> => ({
  [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
  [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
});

/** A text in one coding, compressed synchronously (1 ms for 40 KB). For content that is sent once. */
export function codedText(text: string, coding: ContentCoding): Buffer {
  const bytes = Buffer.from(text);
  if (coding === 'identity') {
    return bytes;
  }
  return coding === 'br' ? brotliCompressSync(bytes, { params: brotliParams(bytes) }) : gzipSync(bytes);
}

/** Compresses a text in the thread pool, without blocking the event loop. */
export async function codedBody(text: string): Promise<CodedBody> {
  const identity = Buffer.from(text);
  const params = brotliParams(identity);
  const [br, gzipped] = await Promise.all([brotliOf(identity, { params }), gzipOf(identity)]);
  return { identity, br, gzip: gzipped };
}
