import { cpSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { transformFile } from '@swc/core';
import { bundleRuntime, bundleSpecialFunctions, SPECIAL_FUNCTIONS } from './bundles.mjs';
import { compilerOptions } from './compiler-options.cjs';
import { root } from './lib.mjs';

const DIST = join(root, 'dist');
/** Files that are tested or bundled instead of compiled, and files that only tests read. */
const LEFT_OUT = /\.spec\.tsx?$|^src\/publishing\/runtime\/|^src\/statistics\/fixtures\//;
const IS_TYPESCRIPT = /\.tsx?$/;

/** Keeps `dist` up to date. Each call to `build` compiles the files that have changed since the last call. */
export class Compiler {
  /** The modification time of each source at the last build. */
  #seen = new Map();

  /**
   * Updates `dist`. Throws if a file does not parse, and leaves `dist` unchanged in that case.
   * @returns whether anything in `dist` has changed
   */
  async build() {
    const sources = sourceFiles();
    const changed = sources.filter(({ path, changedAt }) => this.#seen.get(path) !== changedAt);
    const outputs = await Promise.all(changed.map(({ path }) => path).map(outputsOf));
    const bundles = await bundleRuntime(DIST);
    outputs.flat().forEach(write);
    if (changed.some(({ path }) => path === SPECIAL_FUNCTIONS)) {
      await bundleSpecialFunctions(DIST);
    }
    const removed = removeAllBut([...sources.flatMap(({ path }) => targetsOf(path)), ...bundles.files]);
    this.#seen = new Map(sources.map(({ path, changedAt }) => [path, changedAt]));
    return changed.length > 0 || bundles.changed || removed > 0;
  }
}

/** The message for a failed build, without swc's stack trace. */
export const problemOf = (error) =>
  error instanceof Error ? error.message.split('\n\nCaused by:')[0].trim() : String(error);

/** All files that have a counterpart in `dist`, relative to the project. */
function sourceFiles() {
  const inFolder = readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll('\\', '/'));
  return [...inFolder, 'ormconfig.ts', 'package.json']
    .filter((path) => !LEFT_OUT.test(path))
    .map((path) => ({ path, changedAt: statSync(join(root, path)).mtimeMs }));
}

/** The files in `dist` that belong to a source. */
function targetsOf(path) {
  const target = join(DIST, path.replace(IS_TYPESCRIPT, '.js'));
  return isCompiled(path) ? [target, `${target}.map`] : [target];
}

const isCompiled = (path) => IS_TYPESCRIPT.test(path) && path !== SPECIAL_FUNCTIONS;

async function outputsOf(path) {
  const source = join(root, path);
  const [target, mapTarget] = targetsOf(path);
  if (path === SPECIAL_FUNCTIONS) {
    return [];
  }
  if (!isCompiled(path)) {
    return [{ target, source }];
  }
  const sourceFileName = relative(dirname(target), source);
  const options = { ...compilerOptions(path.endsWith('.tsx')), sourceMaps: true, sourceFileName };
  const { code, map } = await transformFile(source, options);
  return [
    { target, text: `${code}//# sourceMappingURL=${basename(mapTarget)}\n` },
    { target: mapTarget, text: map },
  ];
}

function write({ target, source, text }) {
  mkdirSync(dirname(target), { recursive: true });
  if (text === undefined) {
    cpSync(source, target);
  } else {
    writeFileSync(target, text);
  }
}

/** Removes the output of deleted sources. @returns the number of removed files */
function removeAllBut(paths) {
  const wanted = new Set(paths);
  const stale = readdirSync(DIST, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !wanted.has(path));
  stale.forEach((path) => rmSync(path));
  return stale.length;
}
