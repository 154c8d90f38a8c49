'use strict';

const { compilerOptions } = require('./scripts/compiler-options.cjs');

/** Packages that ship ES modules only. Test files that share no modules compile them as they do our sources. */
const esmPackages = [
  // Imports a package that ships ES modules only.
  '@fastify/cookie',
  '@nestjs/(common|core|platform-fastify|swagger|terminus|testing|mapped-types)',
  'preact',
  'content-disposition',
  'openid-client',
  'oauth4webapi',
  'jose',
  'cookie',
  'uuid',
];

const swc = (tsx) => ({ ...compilerOptions(tsx), sourceMaps: 'inline' });

const transformer = '<rootDir>/test/runner/transformer.cjs';

/** Separate suites. All other tests are ordinary tests. */
const suites = { chaos: ['<rootDir>/test/chaos'], fuzz: ['<rootDir>/test/fuzz'] };
const ordinary = ['<rootDir>/src', '<rootDir>/test/e2e', '<rootDir>/test/browser'];

/** Test files share what a worker has loaded, unless it changes between two runs. */
const sharing = process.argv.some((argument) => argument.startsWith('--watch'))
  ? { testEnvironment: 'node' }
  : {
      testEnvironment: '<rootDir>/test/runner/environment.cjs',
      runtime: '<rootDir>/test/runner/runtime.cjs',
    };

/** @type {import('jest').Config} */
module.exports = {
  ...sharing,
  roots: suites[process.env.GOSSET_TEST_SUITE] ?? ordinary,
  testRegex: '\\.spec\\.tsx?$',
  moduleFileExtensions: ['ts', 'tsx', 'js', 'mjs', 'json'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: { '^.+\\.(t|j|mj)s$': [transformer, swc(false)], '^.+\\.tsx$': [transformer, swc(true)] },
  transformIgnorePatterns: [`/node_modules/(?!(${esmPackages.join('|')})/)`],
  testSequencer: '<rootDir>/test/runner/sequencer.cjs',
  setupFiles: ['<rootDir>/test/runner/property-tests.cjs'],
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  // Machines are slow at times, and no test asserts a duration.
  testTimeout: 120_000 * Number(process.env.PROPERTY_TIMES ?? 1),
  // Three for two cores, because test files spend much of their time waiting for processes and databases.
  maxWorkers: Number(process.env.TEST_WORKERS || 3),
  // Modules that a spec has loaded stay in its worker, and garbage collection gets slower with their number.
  workerIdleMemoryLimit: '1500MB',
};
