import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

/** The inputs of `dist` in addition to `src`. */
const BUILD_SETTINGS = [
  ...['ormconfig.ts', 'package.json'],
  ...[
    'build.mjs',
    'bundles.mjs',
    'compile.mjs',
    'compiler-options.cjs',
    'compiled-server.mjs',
    'program-bundle.mjs',
  ].map((name) => join('scripts', name)),
];

/** An empty file that a build writes last. If it is missing, the build was interrupted. */
export const COMPLETE = join(root, 'dist', 'complete');

const EVERYTHING = ['ci', '--include=dev'];

/** Tests, and files that the test setup writes next to the sources of the browser runtime. */
const NOT_BUILT = /\.spec\.tsx?$|publishing.runtime(.bundles.*)?$/;

/** The development dependencies that the build needs. The quick start does not install others. */
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

/** The command that runs npm, without a shell if npm started this script. */
export function npmCommand() {
  const cli = process.env.npm_execpath ?? '';
  return basename(cli) === 'npm-cli.js'
    ? { command: process.execPath, first: [cli], shell: false }
    : { command: 'npm', first: [], shell: process.platform === 'win32' };
}

/** Updates the server's packages and `dist`. Exits with the exit code of a failed step. */
export function prepareServer() {
  if (isOutdated(root, isForServer)) {
    // Keeps the packages that a developer has installed.
    const isDeveloper = existsSync(join(root, 'node_modules', 'jest'));
    step('Installing the packages that the server needs from the npm registry; one to three minutes', () =>
      isDeveloper ? install(root, EVERYTHING) : install(root, serverOnly(), compileQuickly()),
    );
  }
  prepareBuild();
}

/** Updates everything for development, including `dist`. Exits like `prepareServer`. */
export function prepare() {
  prepareTools();
  prepareBuild();
}

/** Installs missing development packages, including the test tools in `test`. Exits like `prepareServer`. */
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

/** The npm arguments for the server's packages. They name the build tools, so even a production install has them. */
function serverOnly() {
  const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const tools = Object.entries(devDependencies).filter(([name]) => IS_BUILD_TOOL.test(name));
  const names = tools.map(([name, version]) => `${name}@${version}`);
  // The only install script that is needed compiles better-sqlite3 on Node 20, if there is no prebuilt binary.
  const scripts = Number.parseInt(process.versions.node, 10) < 22 ? [] : ['--ignore-scripts'];
  return ['install', '--omit=dev', '--save-prod', '--no-save', ...scripts, ...names];
}

/**
 * The environment that compiles SQLite with less optimisation, which takes a third of the time. In measurements,
 * queries were equally fast.
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
 * Whether a package in the folder is missing or has the wrong version. Compares versions instead of file times, because
 * file times change with every checkout or copy.
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
  if (!existsSync(COMPLETE)) {
    return true;
  }
  const { mtimeMs } = statSync(COMPLETE);
  return buildInputs().some((input) => statSync(input).mtimeMs > mtimeMs);
}

/** All inputs of the build, including folders, because only folder times show that a file was deleted. */
function buildInputs() {
  const source = join(root, 'src');
  const files = readdirSync(source, { recursive: true }).filter((name) => !NOT_BUILT.test(name));
  const settings = BUILD_SETTINGS.map((name) => join(root, name));
  return [source, ...files.map((name) => join(source, name)), ...settings];
}
