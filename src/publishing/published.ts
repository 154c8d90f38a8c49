import type { PageMatcher } from '../pages/page-matching';
import type { Rule } from './evaluation';
import type { Payload } from './build/payload';
import type { ExperimentNames } from './decisions/experiment-names';

/** A running experiment as the server decides about it. */
export interface DecidableExperiment {
  id: number;
  api_name: string;
  phase?: number;
  /** The `api_name`s of the environments that it runs in. */
  environments: string[];
  rule: Rule;
  variations: { id: number; api_name: string }[];
  /** The `api_name` of the original; null if it is not live. */
  original: string | null;
  /** A view belongs to the experiment when one of these matches its address. */
  pages: { id: number; api_name: string; matcher: PageMatcher }[];
}

/** Something that is served, ready to be sent in each encoding. */
export interface Encoded {
  plain: Buffer;
  gzip: Buffer;
  brotli: Buffer;
  /** Hex, of the plain bytes. */
  sha256: string;
}

/** What is live of a project. */
export interface Published {
  projectId: number;
  clientKey: string;
  /** 0 before the first publication, when nothing is live. */
  revision: number;
  /** `api_name`s; the first is the default one. Empty before the first publication. */
  environments: string[];
  experiments: DecidableExperiment[];
  /** Also of experiments that are not live; as current as the revision. */
  names: ExperimentNames;
  /** By `api_name` of the environment. */
  payloads: ReadonlyMap<string, Payload>;
  snippet: Encoded;
  /** Size of what it was made from, for caches. */
  bytes: number;
}
