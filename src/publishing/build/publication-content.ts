import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { transform } from 'esbuild';
import type { LiveDefinitions } from '../definitions';
import { runtimeBundle } from '../runtime-bundle';
import { Payload, payloadOf } from './payload';
import { needsAgent, snippetConfig, SnippetPlace, WrittenConfig } from './snippet-config';
import { sourceText } from './source-text';

/** All that a publication consists of; the same definitions give the same bytes. */
export interface PublicationContent {
  /** Hex, of all that is built; equal contents have equal digests. */
  digest: string;
  payload: Payload;
  script: Buffer;
  gzip: Buffer;
  brotli: Buffer;
  /** Hex. */
  sha256: string;
  /** Base64, as in `integrity="sha384-..."`. */
  sha384: string;
}

/** How many hexadecimal digits of the digest the snippet tells in error reports. */
export const BUILD_LENGTH = 16;

const compressGzip = promisify(gzip);
const compressBrotli = promisify(brotliCompress);
export const GZIP = { level: 9 };
/** The next level takes ten times as long for two percent. */
export const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };

/** Builds what browsers and SDKs are served. */
export async function buildContent(
  definitions: LiveDefinitions,
  place: SnippetPlace,
): Promise<PublicationContent> {
  const runtime = runtimeBundle(needsAgent(definitions));
  const payload = payloadOf(definitions.experiments);
  const config = snippetConfig(definitions, place, '');
  const digest = createHash('sha256')
    .update(JSON.stringify([runtime.digest, sourceText(config), payload]))
    .digest('hex');
  const script = Buffer.from(
    await snippetScript(runtime.code, { ...config, build: digest.slice(0, BUILD_LENGTH) }),
  );
  const [gzipped, brotli] = await Promise.all([compressGzip(script, GZIP), compressBrotli(script, BROTLI)]);
  return {
    digest,
    payload,
    script,
    gzip: gzipped,
    brotli,
    sha256: createHash('sha256').update(script).digest('hex'),
    sha384: createHash('sha384').update(script).digest('base64'),
  };
}

/** The script for a preview link: one experiment, of which one variation is shown. */
export async function buildPreview(
  definitions: LiveDefinitions,
  place: SnippetPlace,
  variation: number,
): Promise<Buffer> {
  const runtime = runtimeBundle(needsAgent(definitions));
  const config = { ...snippetConfig(definitions, place, ''), preview: { variation } };
  return Buffer.from(await snippetScript(runtime.code, config));
}

/** Users' code keeps its language level: what browsers it needs is its author's affair. */
async function snippetScript(runtime: string, config: WrittenConfig): Promise<string> {
  const { code } = await transform(`start(${sourceText(config)});`, {
    minify: true,
    target: 'esnext',
    charset: 'utf8',
    legalComments: 'none',
  });
  return `(()=>{${runtime}\n${code}})();\n`;
}
