import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

/** What `dist` is made of besides `src`. */
const BUILD_SETTINGS = [
  ...['ormconfig.ts', 'package.json'],
  ...['build.mjs', 'bundles.mjs', 'compile.mjs', 'compiler-options.cjs'].map((name) => join('scripts', name)),
];

const EVERYTHING = ['ci', '--include=dev'];

/** Tests, and what their set-up writes beside the sources of the browser runtime. */
const NOT_BUILT = /\.spec\.tsx?$|publishing.runtime(.bundles.*)?$/;

/** The development dependencies that the build needs; the quick start installs no others. */
const IS_BUILD_TOOL = /^@swc\/core$|^esbuild$|^@stdlib\//;

/** Runs Node with this terminal in the project's folder; returns the exit code. */
export function node(args, env = process.env) {
  return spawnSync(process.execPath, args, { cwd: root, env, stdio: 'inherit' }).status ?? 1;
}

/** Runs npm in the project's folder; returns the exit code. */
export function npm(args, options = { stdio: 'inherit' }) {
  const { command, first, shell } = npmCommand();
  return spawnSync(command, [...first, ...args], { cwd: root, shell, ...options }).status ?? 1;
}

/** How npm is run: without a shell where npm itself started this script. */
export function npmCommand() {
  const cli = process.env.npm_execpath ?? '';
  return basename(cli) === 'npm-cli.js'
    ? { command: process.execPath, first: [cli], shell: false }
    : { command: 'npm', first: [], shell: process.platform === 'win32' };
}

/** Brings what the server needs up to date: its packages and `dist`. Leaves with the exit code of what failed. */
export function prepareServer() {
  if (isOutdated(root, isForServer)) {
    // What a developer has installed stays.
    const isDeveloper = existsSync(join(root, 'node_modules', 'jest'));
    step('Installing dependencies', () =>
      isDeveloper ? install(root, EVERYTHING) : install(root, serverOnly(), compileQuickly()),
    );
  }
  prepareBuild();
}

/** Brings everything that development needs up to date, `dist` included. Leaves as above. */
export function prepare() {
  prepareTools();
  prepareBuild();
}

/** Installs what is missing for development, the tools of the tests in `test` included. Leaves as above. */
export function prepareTools() {
  if (isOutdated(root, () => true)) {
    step('Installing dependencies', () => install(root, EVERYTHING));
  }
  const tests = join(root, 'test');
  if (isOutdated(tests, () => true)) {
    step('Installing the tools of the tests', () => install(tests, ['ci']));
  }
}

const isForServer = ({ dev }, name) => !dev || IS_BUILD_TOOL.test(name);

/** Named like this, the build tools are installed although an installation for production leaves them out. */
function serverOnly() {
  const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const tools = Object.entries(devDependencies).filter(([name]) => IS_BUILD_TOOL.test(name));
  const names = tools.map(([name, version]) => `${name}@${version}`);
  // The only script that matters compiles better-sqlite3 where no binary can be downloaded, for Node 20.
  const scripts = Number.parseInt(process.versions.node, 10) < 22 ? [] : ['--ignore-scripts'];
  return ['install', '--omit=dev', '--save-prod', '--no-save', ...scripts, ...names];
}

/**
 * Where SQLite has to be compiled, less optimisation takes a third of the time; queries were measured to be as fast.
 */
function compileQuickly() {
  const { CFLAGS = '', ...environment } = process.env;
  return { ...environment, CFLAGS: `${CFLAGS} -O1`.trim() };
}

const install = (folder, args, env) => node([join('scripts', 'install.mjs'), folder, ...args], env);

function prepareBuild() {
  if (buildOutdated()) {
    step('Building', () => node([join('scripts', 'build.mjs')]));
  }
}

function step(title, action) {
  console.error(`${title} ...`);
  const code = action();
  if (code !== 0) {
    process.exit(code);
  }
}

/**
 * Is a package missing in the folder, or there in another version? Compares versions rather than file times, which a
 * checkout or a copy changes for no reason.
 */
function isOutdated(folder, isNeeded) {
  const record = join(folder, 'node_modules', '.package-lock.json');
  if (!existsSync(record)) {
    return true;
  }
  const installed = packagesIn(record);
  return Object.entries(packagesIn(join(folder, 'package-lock.json'))).some(([path, wanted]) => {
    const found = installed[path];
    const isWanted = path !== '' && isNeeded(wanted, path.replace(/^.*node_modules\//, ''));
    return isWanted && (found ? found.version !== wanted.version : !wanted.optional);
  });
}

function packagesIn(lockFile) {
  return JSON.parse(readFileSync(lockFile, 'utf8')).packages;
}

function buildOutdated() {
  const built = join(root, 'dist', 'src', 'main.js');
  if (!existsSync(built)) {
    return true;
  }
  const { mtimeMs } = statSync(built);
  return buildInputs().some((input) => statSync(input).mtimeMs > mtimeMs);
}

/** Everything the build reads, folders included, because a deleted file only shows there. */
function buildInputs() {
  const source = join(root, 'src');
  const files = readdirSync(source, { recursive: true }).filter((name) => !NOT_BUILT.test(name));
  const settings = BUILD_SETTINGS.map((name) => join(root, name));
  return [source, ...files.map((name) => join(source, name)), ...settings];
}
