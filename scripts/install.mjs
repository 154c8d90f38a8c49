/** `install.mjs FOLDER ARGUMENTS`: runs npm with the arguments in the folder, and shows its progress. */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { npmCommand } from './lib.mjs';

const EVERY_MS = 1_000;
/** Without a terminal, a line is printed each time this number of packages has been installed. */
const LINE_EACH = 100;

const [folder, ...args] = process.argv.slice(2);
const { packages } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'));
const manifests = Object.keys(packages)
  .filter((path) => path !== '')
  .map((path) => join(folder, path, 'package.json'));
/** Exists while better-sqlite3 is being compiled, and afterwards. */
const makefile = join(folder, 'node_modules', 'better-sqlite3', 'build', 'Makefile');
const wasCompiled = existsSync(makefile);
const since = Date.now();
const seconds = () => Math.round((Date.now() - since) / 1_000);
let shown = 0;
let compilingSince = null;

function show() {
  if (!wasCompiled && existsSync(makefile)) {
    showCompiling();
    return;
  }
  const there = manifests.filter((path) => existsSync(path)).length;
  if (process.stderr.isTTY) {
    process.stderr.write(`\r  ${there} packages, ${seconds()} s`);
  } else if (there >= shown + LINE_EACH) {
    shown = there;
    console.error(`  ${there} packages, ${seconds()} s`);
  }
}

/** Shows that SQLite is being compiled, which is the longest step if it is needed. */
function showCompiling() {
  const isFirst = compilingSince === null;
  compilingSince ??= Date.now();
  const text = '  Compiling SQLite, because no binary for this Node.js version could be downloaded';
  if (process.stderr.isTTY) {
    const seconds = Math.round((Date.now() - compilingSince) / 1_000);
    process.stderr.write(`${isFirst ? '\n' : '\r'}${text}: ${seconds} s`);
  } else if (isFirst) {
    console.error(`${text} ...`);
  }
}

const { command, first, shell } = npmCommand();
const options = ['--loglevel=error', '--no-progress', '--no-fund', '--no-audit'];
const npm = spawn(command, [...first, ...args, ...options], { cwd: folder, shell, stdio: 'inherit' });
const timer = setInterval(show, EVERY_MS);
npm.on('exit', (code) => {
  clearInterval(timer);
  if (process.stderr.isTTY) {
    process.stderr.write(compilingSince === null ? '\r' : '\n');
  }
  process.exitCode = code ?? 1;
});
