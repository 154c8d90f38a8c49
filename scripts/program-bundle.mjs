import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { build } from 'esbuild';
import { withAsciiRegexes } from './ascii-regexes.mjs';
import { root } from './lib.mjs';
import { withoutNamingCalls } from './naming-calls.mjs';
import { withSharedNamespaces } from './shared-namespaces.mjs';

const BUILT = join(root, 'dist', 'src');

/**
 * Modules that are not bundled: native addons, a package that reads its own files, and optional packages that are not
 * installed.
 */
const NOT_BUNDLED = [
  ...['better-sqlite3', 'better-sqlite3-napi', '@node-rs/argon2', 'swagger-ui-dist'],
  'class-transformer/storage',
  ...['@nestjs/microservices', '@nestjs/mongoose', '@nestjs/platform-express', '@nestjs/websockets'],
  ...['@fastify/multipart', '@fastify/view'],
];

const replaceIn = (filter, replace) => ({
  name: String(filter),
  setup: ({ onLoad }) =>
    onLoad({ filter }, ({ path }) => ({ contents: replace(readFileSync(path, 'utf8'), path), loader: 'js' })),
});

/** Keeps the original folder as `__dirname` in our sources, because they read files next to them. */
const withFolders = replaceIn(/dist.src.*\.js$/, (text, path) => {
  const folder = JSON.stringify(relative(dirname(BUILT), dirname(path)).replaceAll('\\', '/'));
  return text.replaceAll('__dirname', `require("node:path").join(__dirname, ${folder})`);
});

/**
 * Makes Nest's packages use the bundled copies. They load each other with their own `require`, which would load a
 * second copy of each.
 */
const withOneCopy = replaceIn(/node_modules.@nestjs.*\.js$/, (text) =>
  text.replace('const require = createRequire(import.meta.url);', ''),
);

/** Writes the programs and their packages into one file, `dist/gosset.js`, with V8's code cache next to it. */
export async function bundlePrograms() {
  const outfile = join(root, 'dist', 'gosset.js');
  const { outputFiles } = await build({
    entryPoints: [join(BUILT, 'programs.js')],
    outfile,
    write: false,
    bundle: true,
    // Minifying halves the size of the file, which stays in memory. Names are kept and lines are short, for readable
    // stack traces.
    minifySyntax: true,
    minifyWhitespace: true,
    lineLimit: 120,
    keepNames: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    // `import()` would need a loader option of `vm.Script` that is experimental in Node.js 20, which prints a warning.
    supported: { 'dynamic-import': false },
    legalComments: 'none',
    external: NOT_BUNDLED,
    plugins: [withFolders, withOneCopy],
    define: { 'import.meta.url': 'bundleUrl' },
    banner: { js: 'const bundleUrl = require("node:url").pathToFileURL(__filename).href;' },
    logLevel: 'error',
  });
  const text = withSharedNamespaces(withoutNamingCalls(outputFiles[0].text));
  writeFileSync(outfile, withAsciiRegexes(text));
  compileServer();
}

/**
 * Runs the server and a command once, to store V8's code cache for both. If this fails, for example without the SQLite
 * driver, the server will start more slowly.
 */
function compileServer() {
  const folder = mkdtempSync(join(tmpdir(), 'gosset-build-'));
  const { PATH, HOME } = process.env;
  const { status, stderr } = spawnSync(process.execPath, [join(root, 'scripts', 'compiled-server.mjs')], {
    cwd: folder,
    env: {
      PATH,
      HOME,
      DATABASE_URL: `sqlite:${join(folder, 'build.sqlite')}`,
      DEMO_PORT: '0',
      LOG_LEVEL: 'fatal',
    },
    encoding: 'utf8',
  });
  rmSync(folder, { recursive: true, force: true });
  if (status !== 0) {
    console.error(`The server will start slower, because it did not run during the build:\n${stderr}`);
  }
}
