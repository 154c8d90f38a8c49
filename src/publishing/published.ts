import { createHash } from 'node:crypto';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { PageMatcher } from '../resources/pages/page-matching';
import type { Payload } from './build/payload';
import { BROTLI, GZIP } from './build/publication-content';
import type { Rule } from './evaluation';
import type { ExperimentNames } from './published-names.store';

/** A running experiment in the form that the server evaluates. */
export interface DecidableExperiment {
  id: number;
  api_name: string;
  phase?: number;
  /** The `api_name`s of the environments in which the experiment runs. */
  environments: string[];
  rule: Rule;
  variations: { id: number; api_name: string }[];
  /** The `api_name` of the original; null if the original is not live. */
  original: string | null;
  /** A view belongs to the experiment if its URL matches at least one of these pages. */
  pages: { id: number; api_name: string; matcher: PageMatcher }[];
}

/** Served content in all of its encodings. */
export interface Encoded {
  plain: Buffer;
  gzip: Buffer;
  brotli: Buffer;
  /** SHA-256 hash of the uncompressed bytes, in hexadecimal. */
  sha256: string;
}

/** The live content of a project. */
export interface Published {
  projectId: number;
  clientKey: string;
  /** 0 before the first publication, when nothing is live yet. */
  revision: number;
  /** `api_name`s, the default environment first. Empty before the first publication. */
  environments: string[];
  experiments: DecidableExperiment[];
  /** The names of experiments, including those that are not live. They are loaded together with the revision. */
  names: ExperimentNames;
  /** The payload of each environment, by the `api_name` of the environment. */
  payloads: ReadonlyMap<string, Payload>;
  snippet: Encoded;
  /** Size of the source in bytes, for cache limits. */
  bytes: number;
}

/** Serialized payloads, created once for each revision. */
const written = new WeakMap<Payload, Encoded>();

/** A payload as JSON in all encodings, created on first use. */
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
