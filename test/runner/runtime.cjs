'use strict';

const Module = require('node:module');
const { join, sep } = require('node:path');
const { compileFunction, constants } = require('node:vm');
const { default: Runtime } = require('jest-runtime');

const SOURCES = join(__dirname, '../../src') + sep;
const isRelative = (name) => /^\.{0,2}\//.test(name);

const NO_MOCKS = `Modules are shared by all test files of a worker, so they cannot be mocked. Spy on an object or a prototype
instead, or begin the file with /** @jest-environment node */, which loads everything again for it alone.`;

/** Source map paths of the modules that the worker has loaded. */
const sourceMaps = new Map();
/** The runtime of the current test file. */
let current;

/** Lets Node's own `require` load TypeScript, compiled and cached as in jest. */
function loadTypeScript(module, filename) {
  const code = current.transformCache.transform(filename);
  sourceMaps.set(filename, current.getSourceMaps().get(filename));
  module._compile(code, filename);
}

/**
 * Loads packages and sources once per worker, with Node's own `require`, instead of once per test file.
 * Test files and their support files are still loaded once per test file.
 */
class SharedRuntime extends Runtime {
  constructor(config, environment, ...rest) {
    const { getBuiltinModule } = process;
    super(config, environment, ...rest);
    this.sharesModules = environment.sharesModules === true;
    if (!this.sharesModules) {
      return;
    }
    process.getBuiltinModule = getBuiltinModule;
    current = this;
    sourceMaps.forEach((path, filename) => this.getSourceMaps().set(filename, path));
    Module._extensions['.ts'] = loadTypeScript;
    Module._extensions['.tsx'] = loadTypeScript;
    const { executor } = this;
    executor.compile = (source, filename) =>
      compileFunction(source, executor.injectedModuleParameters, {
        filename,
        importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
      });
  }

  requireModule(from, moduleName, options, isRequireActual) {
    const isOwn = !this.sharesModules || moduleName === undefined || options?.isInternalModule === true;
    if (isOwn || Module.isBuiltin(moduleName)) {
      return super.requireModule(from, moduleName, options, isRequireActual);
    }
    if (!isRelative(moduleName)) {
      return Module.createRequire(from)(moduleName);
    }
    const path = this._resolution.resolveCjs(from, moduleName);
    return path.startsWith(SOURCES)
      ? require(path)
      : super.requireModule(from, moduleName, options, isRequireActual);
  }

  setMock(...args) {
    this.refuseMocks();
    super.setMock(...args);
  }

  isolateModules(load) {
    this.refuseMocks();
    super.isolateModules(load);
  }

  refuseMocks() {
    if (this.sharesModules) {
      throw new Error(NO_MOCKS);
    }
  }
}

module.exports = SharedRuntime;
