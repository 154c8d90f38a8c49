import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Failure } from '../../common/errors/api-errors';
import { mapInTurns } from '../../common/event-loop';
import { checkScript } from '../../common/validation/code';
import { checkStoredCondition } from '../../common/validation/condition-code';
import type { LiveDefinitions, LiveExperiment } from '../definitions';
import { runtimeBundle } from '../runtime-bundle';
import { Payload, payloadOf } from './payload';
import { runtimeNeeds, snippetConfig, SnippetPlace, sourceText } from './snippet-config';

/** The content of a publication. Builds are deterministic: the same definitions give the same bytes. */
export interface PublicationContent {
  /** Hex hash of the whole content; equal contents have equal digests. */
  digest: string;
  payload: Payload;
  script: Buffer;
  gzip: Buffer;
  brotli: Buffer;
  /** SHA-256 hash of the script, in hexadecimal. */
  sha256: string;
  /** SHA-384 hash of the script in base64, as in `integrity="sha384-..."`. */
  sha384: string;
}

/** The number of hexadecimal digits of the digest that the snippet's error reports contain. */
const BUILD_LENGTH = 16;

const compressGzip = promisify(gzip);
const compressBrotli = promisify(brotliCompress);
export const GZIP = { level: 9 };
/** The next higher quality level takes ten times as long and saves only two percent. */
export const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };

/** Builds the script and the payloads. */
export async function buildContent(
  definitions: LiveDefinitions,
  place: SnippetPlace,
): Promise<PublicationContent> {
  const runtime = runtimeBundle(runtimeNeeds(definitions));
  const payload = payloadOf(definitions.experiments);
  const config = await snippetConfig(definitions, place);
  const digest = createHash('sha256')
    // Decisions on the server depend on the definitions, and some of these, such as page names, are in neither the
    // script nor the payloads.
    .update(JSON.stringify([runtime.digest, sourceText(config), payload, definitions]))
    .digest('hex');
  const script = Buffer.from(
    snippetScript(runtime.code, sourceText({ ...config, build: digest.slice(0, BUILD_LENGTH) })),
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

/** The script for a preview link, which shows one variation of one experiment. */
export async function buildPreview(
  definitions: LiveDefinitions,
  place: SnippetPlace,
  variation: number,
): Promise<Buffer> {
  const runtime = runtimeBundle(runtimeNeeds(definitions));
  const config = { ...(await snippetConfig(definitions, place)), preview: { variation } };
  return Buffer.from(snippetScript(runtime.code, sourceText(config)));
}

/**
 * How the configuration begins in a script that sends its events to `host`. Used to find scripts that were built for a
 * different `PUBLIC_URL`.
 */
export const scriptMark = (host: SnippetPlace['host']): Buffer =>
  Buffer.from(`(${sourceText({ host }).slice(0, -1)},clientKey:`);

/**
 * The script made of a runtime and a configuration. The configuration is outside the runtime's function, so the user
 * code in it can access the page's globals but not the runtime.
 */
export const snippetScript = (runtime: string, config: string): string =>
  `(()=>{${runtime}\nreturn start})()(${config});\n`;

/** Code at its path in the definitions, with its check. */
interface PlacedCode {
  path: string;
  code: string | null;
  check: (code: string) => string | null;
}

/**
 * Finds code that must not be compiled into the script, because it would break out of its function. Stored code passed
 * these checks when it was saved, but publishing does not rely on the earlier checks. Yields to other requests.
 */
export async function codeFailures({ environments, experiments }: LiveDefinitions): Promise<Failure[]> {
  const codes: PlacedCode[] = [
    ...environments.map(({ id, code }) => ({
      path: `environments.${id}.code`,
      code,
      check: checkStoredCondition,
    })),
    ...experiments.flatMap(scriptsOf),
  ];
  return (await mapInTurns(codes, failuresOf)).flat();
}

function scriptsOf({ id, js, reset_js, variations }: LiveExperiment): PlacedCode[] {
  const script = (field: string, code: string | null): PlacedCode => ({
    path: `experiments.${id}.${field}`,
    code,
    check: checkScript,
  });
  return [
    script('js', js),
    script('reset_js', reset_js),
    ...variations.map((variation) => script(`variations.${variation.id}.js`, variation.js)),
  ];
}

function failuresOf({ path, code, check }: PlacedCode): Failure[] {
  const problem = code === null ? null : check(code);
  return problem === null ? [] : [{ path, message: `It cannot be published: ${problem}` }];
}
