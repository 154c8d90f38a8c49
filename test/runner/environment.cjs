'use strict';

const { ModernFakeTimers } = require('@jest/fake-timers');
const { ModuleMocker } = require('jest-mock');
const { stopLeftovers } = require('./leftovers.cjs');

/** Keys that jest sets on the global object for one test file. If they were kept, the next file would reuse them. */
const OF_ONE_FILE = [
  'EVENT_HANDLERS',
  'LOG_ERRORS_BEFORE_RETRY',
  'RETRY_IMMEDIATELY',
  'RETRY_TIMES',
  'TEST_TIMEOUT_SYMBOL',
  'WAIT_BEFORE_RETRY',
].map((name) => Symbol.for(name));

/** Empties a describe block and the blocks in it, and everything that refers to their functions. */
function release(block) {
  const { children, hooks } = block;
  children.filter(({ type }) => type === 'describeBlock').forEach(release);
  [...hooks, ...children].forEach((each) => Object.assign(each, { fn: undefined, asyncError: undefined }));
  Object.assign(block, { children: [], hooks: [], tests: [] });
}

/**
 * Runs a test file with the worker's own globals, so the file can use modules that the worker has already loaded
 * (`runtime.cjs`). After each file, it restores mocks, timers, the console, `process` and the environment variables.
 */
class SharedEnvironment {
  global = globalThis;
  sharesModules = true;
  fakeTimers = null;

  constructor({ projectConfig }) {
    OF_ONE_FILE.forEach((name) => delete globalThis[name]);
    this.moduleMocker = new ModuleMocker(globalThis);
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
    const { console } = globalThis;
    const { exit, env, getBuiltinModule } = process;
    const variables = { ...env };
    this.restore = () => {
      globalThis.console = console;
      Object.assign(process, { exit, ...(getBuiltinModule === undefined ? {} : { getBuiltinModule }) });
      Object.keys(env).forEach((name) => delete env[name]);
      Object.assign(env, variables);
    };
  }

  async setup() {}

  /**
   * Releases the tests of the file when they are done. jest keeps them in a global variable, and asynchronous resources
   * that outlive the file refer to them. All applications that the tests started would stay in memory.
   */
  handleTestEvent({ name }, { rootDescribeBlock }) {
    if (name === 'teardown') {
      release(rootDescribeBlock);
    }
  }

  async teardown() {
    this.fakeTimersModern?.dispose();
    this.moduleMocker.restoreAllMocks();
    this.fakeTimersModern = null;
    this.restore();
    stopLeftovers();
  }

  exportConditions() {
    return ['node', 'node-addons'];
  }

  /** Test files do not run in a separate VM context. */
  getVmContext() {
    return null;
  }
}

module.exports = SharedEnvironment;
