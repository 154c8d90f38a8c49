import { createHash } from 'node:crypto';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { Payload } from './build/payload';
import { BROTLI, GZIP } from './build/publication-content';
import type { Encoded } from './published';

/** Serialized payloads, created once for each revision. */
const written = new WeakMap<Payload, Encoded>();

/** A serialized payload. */
export function writtenPayload(payload: Payload): Encoded {
  const known = written.get(payload);
  if (known !== undefined) {
    return known;
  }
  const plain = Buffer.from(JSON.stringify(payload));
  const encoded = {
    plain,
    gzip: gzipSync(plain, GZIP),
    brotli: brotliCompressSync(plain, BROTLI),
    sha256: createHash('sha256').update(plain).digest('hex'),
  };
  written.set(payload, encoded);
  return encoded;
}
