import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Config } from '../config/config';
import { VERSION } from '../config/version';
import { buildContent, PublicationContent, scriptMark } from './build/publication-content';
import type { LiveDefinitions } from './definitions';
import type { BuiltPublication } from './publication.store';

const KEPT_CONTENTS = 20;
const KEPT_BYTES = 64 * 1024 * 1024;
/**
 * Estimated cache size, in bytes per character of the definitions. The cache holds the key, the payload and the script,
 * each uncompressed and compressed.
 */
const BYTES_OF_CHARACTER = 8;

/** Builds publications, and caches the most recent ones, keyed by their definitions. */
@Injectable()
export class PublicationBuilder {
  private readonly contents = new LRUCache<string, Promise<PublicationContent>>({
    max: KEPT_CONTENTS,
    maxSize: KEPT_BYTES,
    sizeCalculation: (_, definitions) => BYTES_OF_CHARACTER * definitions.length,
  });

  constructor(private readonly config: Config) {}

  /**
   * Compiles and compresses the content, which takes seconds for large projects. @param clientKey the project's client
   * key
   */
  async build(definitions: LiveDefinitions, clientKey: string): Promise<BuiltPublication> {
    const { payload, script, gzip, brotli, ...content } = await this.content(definitions, clientKey);
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

  /** Whether the script sends its events to this server. `PUBLIC_URL` may have changed since the script was built. */
  isForHere({ parts }: BuiltPublication): boolean {
    return parts.script.includes(scriptMark(this.config.publicUrl));
  }

  private async content(definitions: LiveDefinitions, clientKey: string): Promise<PublicationContent> {
    const place = { host: this.config.publicUrl, clientKey };
    const key = JSON.stringify([place, definitions]);
    const known = this.contents.get(key);
    if (known !== undefined) {
      return known;
    }
    const content = buildContent(definitions, place);
    this.contents.set(key, content);
    content.catch(() => this.contents.delete(key));
    return content;
  }
}
