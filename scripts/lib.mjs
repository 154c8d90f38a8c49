import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

/** The snippet's runtime is bundled when it is first needed, and files are served as they are. */
const READ_AS_THEY_ARE = [
  'src/publishing/runtime',
  'src/publishing/attribute-names.ts',
  'src/publishing/evaluation.ts',
  'src/publishing/user-agent.ts',
  'src/account/assets',
  'src/demo/shop/assets',
];

const BUILD_SETTINGS = ['nest-cli.json', 'ormconfig.ts', 'tsconfig.json', 'tsconfig.build.json'];

/** Runs Node with this terminal in the project's folder; returns the exit code. */
export function node(args, env = process.env) {
  return spawnSync(process.execPath, args, { cwd: root, env, stdio: 'inherit' }).status ?? 1;
}

/** Runs npm, without a shell where npm itself started this script; returns the exit code. */
export function npm(args, options = { stdio: 'inherit' }) {
  const cli = process.env.npm_execpath ?? '';
  const settings = { cwd: root, ...options };
  const { status } =
    basename(cli) === 'npm-cli.js'
      ? spawnSync(process.execPath, [cli, ...args], settings)
      : spawnSync('npm', args, { ...settings, shell: process.platform === 'win32' });
  return status ?? 1;
}

/** Brings node_modules and dist up to date; leaves with the exit code of what failed. */
export function prepare() {
  if (dependenciesOutdated()) {
    step('Installing dependencies', () => npm(['ci', '--include=dev', '--loglevel=error']));
  }
  if (buildOutdated()) {
    step('Building', build);
  }
}

/** Builds the server into dist; returns the exit code. */
export function build() {
  const code = node([join('node_modules', '@nestjs', 'cli', 'bin', 'nest.js'), 'build']);
  if (code === 0) {
    READ_AS_THEY_ARE.forEach(copyToDist);
  }
  return code;
}

function copyToDist(source) {
  cpSync(join(root, source), join(root, 'dist', source), {
    recursive: true,
    filter: (path) => !basename(path).endsWith('.spec.ts'),
  });
}

function step(title, action) {
  console.error(`${title} ...`);
  const code = action();
  if (code !== 0) {
    process.exit(code);
  }
}

/** Compares versions rather than file times, which a checkout or a copy changes for no reason. */
function dependenciesOutdated() {
  const record = join(root, 'node_modules', '.package-lock.json');
  if (!existsSync(record)) {
    return true;
  }
  const installed = packagesIn(record);
  return Object.entries(packagesIn(join(root, 'package-lock.json'))).some(([path, wanted]) => {
    const found = installed[path];
    return path !== '' && (found ? found.version !== wanted.version : !wanted.optional);
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
  const files = readdirSync(source, { recursive: true }).filter((name) => !/\.spec\.tsx?$/.test(name));
  const settings = BUILD_SETTINGS.map((name) => join(root, name));
  return [source, ...files.map((name) => join(source, name)), ...settings];
}
