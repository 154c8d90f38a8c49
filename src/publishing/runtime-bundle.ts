import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import { buildSync } from 'esbuild';

/** What every snippet consists of besides the content of its project. */
export interface RuntimeBundle {
  /** Statements that declare a function `start` and names of their own; they belong into a function. */
  code: string;
  /** SHA-256 of the code in hexadecimal: the version of the runtime. */
  digest: string;
}

/** Beside this file, as TypeScript also where the rest has been compiled. */
const SOURCES = join(__dirname, 'runtime');
const GROWTHBOOK_MODULES = join(
  dirname(require.resolve('@growthbook/growthbook/package.json')),
  'dist',
  'esm',
);

const bundles = new Map<boolean, RuntimeBundle>();

/**
 * The runtime for browsers, bundled when it is first asked for.
 * @param withAgent can it tell device, browser and operating system from the user agent? This takes another 8 KB.
 */
export function runtimeBundle(withAgent: boolean): RuntimeBundle {
  const bundle = bundles.get(withAgent) ?? build(withAgent ? 'main-with-agent.ts' : 'main.ts');
  bundles.set(withAgent, bundle);
  return bundle;
}

function build(entry: string): RuntimeBundle {
  const { outputFiles } = buildSync({
    entryPoints: [join(SOURCES, entry)],
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    globalName: 'runtime',
    footer: { js: 'var start=runtime.start;' },
    target: 'es2020',
    charset: 'utf8',
    legalComments: 'none',
    define: { 'process.env.NODE_ENV': '"production"' },
    alias: {
      '@growthbook/growthbook': join(SOURCES, 'growthbook.ts'),
      'growthbook-modules': GROWTHBOOK_MODULES,
    },
    resolveExtensions: ['.ts', '.mjs', '.js'],
    // Otherwise it would depend on the compiler options that happen to lie beside the sources.
    tsconfigRaw: {},
    logLevel: 'silent',
  });
  const code = outputFiles[0].text.trim();
  return { code, digest: createHash('sha256').update(code).digest('hex') };
}
