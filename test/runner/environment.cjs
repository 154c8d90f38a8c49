'use strict';

const { ModernFakeTimers } = require('@jest/fake-timers');
const { ModuleMocker } = require('jest-mock');
const { disableStorages } = require('./storages.cjs');

/** Keys that jest sets on the global object for one test file, and would reuse for the next one. */
const OF_ONE_FILE = [
  'EVENT_HANDLERS',
  'LOG_ERRORS_BEFORE_RETRY',
  'RETRY_IMMEDIATELY',
  'RETRY_TIMES',
  'TEST_TIMEOUT_SYMBOL',
  'WAIT_BEFORE_RETRY',
].map((name) => Symbol.for(name));

/**
 * Runs a test file with the globals of the worker itself, so that it can use modules that the worker has already loaded
 * (`runtime.cjs`). Restores mocks, timers, the process and its environment variables after each file.
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

  async teardown() {
    this.fakeTimersModern?.dispose();
    this.moduleMocker.restoreAllMocks();
    this.fakeTimersModern = null;
    this.restore();
    disableStorages();
  }

  exportConditions() {
    return ['node', 'node-addons'];
  }

  /** There is no separate context. */
  getVmContext() {
    return null;
  }
}

module.exports = SharedEnvironment;
