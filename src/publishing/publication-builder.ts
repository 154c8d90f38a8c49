import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Config } from '../config/config';
import { VERSION } from '../config/version';
import { buildContent, scriptMark } from './build/publication-content';
import type { SnippetPlace } from './build/snippet-config';
import type { LiveDefinitions } from './definitions';
import type { BuiltPublication } from './publication.store';

const KEPT_PUBLICATIONS = 20;
const KEPT_BYTES = 64 * 1024 * 1024;
/**
 * Estimated cache size, in bytes per character of the definitions. The cache holds the definitions as key and as JSON,
 * the payload, and the script, uncompressed and compressed.
 */
const BYTES_OF_CHARACTER = 8;

/** Builds publications, and caches the most recent ones, keyed by their definitions. */
@Injectable()
export class PublicationBuilder {
  private readonly publications = new LRUCache<string, Promise<BuiltPublication>>({
    max: KEPT_PUBLICATIONS,
    maxSize: KEPT_BYTES,
    sizeCalculation: (_, definitions) => BYTES_OF_CHARACTER * definitions.length,
  });

  constructor(private readonly config: Config) {}

  /**
   * Compiles and compresses the content, which takes seconds for large projects. Yields to other requests.
   * @param clientKey the project's client key
   */
  build(definitions: LiveDefinitions, clientKey: string): Promise<BuiltPublication> {
    const place = { host: this.config.publicUrl, clientKey };
    const key = JSON.stringify([place, definitions]);
    const known = this.publications.get(key);
    if (known !== undefined) {
      return known;
    }
    const publication = buildPublication(definitions, place);
    this.publications.set(key, publication);
    publication.catch(() => this.publications.delete(key));
    return publication;
  }

  /** Whether the script sends its events to this server. `PUBLIC_URL` may have changed since the script was built. */
  isForHere({ parts }: BuiltPublication): boolean {
    return parts.script.includes(scriptMark(this.config.publicUrl));
  }
}

async function buildPublication(
  definitions: LiveDefinitions,
  place: SnippetPlace,
): Promise<BuiltPublication> {
  const { payload, script, gzip, brotli, ...content } = await buildContent(definitions, place);
  return {
    row: {
      ...content,
      snippet_version: VERSION,
      bytes: script.length,
      bytes_gzip: gzip.length,
      bytes_brotli: brotli.length,
    },
    parts: {
      definitions: Buffer.from(JSON.stringify(definitions)),
      payload: Buffer.from(JSON.stringify(payload)),
      script,
      script_gzip: gzip,
      script_brotli: brotli,
    },
  };
}
